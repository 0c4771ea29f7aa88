/** Formats a number of bytes in powers of 1000, as in the documented limits. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = ''
  for (unit of units) {
    value /= 1000
    if (value < 999.5) break
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}
