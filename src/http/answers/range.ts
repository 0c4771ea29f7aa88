export interface ByteRange {
  /** Both ends are included. */
  start: number
  end: number
}

/**
 * Returns the single range that a Range header asks for (RFC 9110 section 14). Returns null when the answer is the whole file, which is also
 * right for several ranges and for unknown units. Returns `unsatisfiable` when the answer is 416.
 */
export function parseRange(header: string, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/i.exec(header)
  if (match === null) return null
  const [, first, last, suffix] = match
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === undefined || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== undefined && last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}
