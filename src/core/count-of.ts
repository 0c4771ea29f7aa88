/** "1 document", "2 documents", "12,000 documents". Numbers with four digits have no comma. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count < 10_000 ? count : count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}
