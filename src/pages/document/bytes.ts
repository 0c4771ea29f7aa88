const UNITS = ['kB', 'MB', 'GB']

/** Bytes for a person, in powers of 1000 as in the documented limits. */
export function byteCount(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const power = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power - 1]}`
}
