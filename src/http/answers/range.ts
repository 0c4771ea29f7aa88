export interface ByteRange {
  /** Both inclusive. */
  start: number
  end: number
}

/**
 * The single range a Range header asks for (RFC 9110 section 14). Null: answer with all of it, which is also right for several
 * ranges and for units we do not know. `unsatisfiable`: 416.
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
