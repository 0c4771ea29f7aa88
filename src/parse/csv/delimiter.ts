/** In the order of preference. */
const DELIMITERS = [',', ';', '\t', '|']
const MAX_LINES = 50
const MAX_CHARS = 100_000
/** Excel writes and reads this line in front of the others. */
const NAMED = /^\s*sep=([^\r\n])\r?\n/i

/** Returns the character between the fields, and where the first record begins. */
export function findDelimiter(text: string): { delimiter: string; start: number } {
  const named = NAMED.exec(text)
  if (named !== null) return { delimiter: named[1]!, start: named[0].length }
  const lines = unquotedLines(text)
  const scores = DELIMITERS.map((delimiter) => scoreOf(lines.map((line) => line.split(delimiter).length - 1)))
  const best = Math.max(...scores)
  return { delimiter: DELIMITERS[best > 0 ? scores.indexOf(best) : 0]!, start: 0 }
}

/** The share of lines that have as many delimiters as most lines, and a little for many delimiters. Commas in prose differ from line to line. */
function scoreOf(counts: readonly number[]): number {
  const lines = new Map<number, number>()
  for (const count of counts) if (count > 0) lines.set(count, (lines.get(count) ?? 0) + 1)
  let best = 0
  for (const [count, frequency] of lines) best = Math.max(best, frequency / counts.length + Math.min(count, 50) / 1_000)
  return best
}

/** Returns the first lines without their quoted fields. */
function unquotedLines(text: string): string[] {
  const start = text.slice(0, MAX_CHARS).replace(/"(?:[^"]|"")*"/g, '')
  const lines = start.split(/\r\n?|\n/).slice(0, MAX_LINES)
  return lines.filter((line) => line.trim() !== '')
}
