const MOST_SECONDS = 120

/** Seconds of `Prefer: wait=N` (RFC 7240 section 4.3), at most 120; null when it is not asked for. */
export function preferredWait(header: string): number | null {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(header)
  return match === null ? null : Math.min(Number(match[1]), MOST_SECONDS)
}
