import { documentText, isRunning, type Page } from '../../src/core/parsed.ts'

/** The document's text from one place to another, as a passage has it: without running headers and footers and the blanks around them. */
export function withoutRunning(pages: readonly Page[], start: number, end: number): string {
  let text = documentText(pages)
  const running: { start: number; end: number }[] = []
  let base = 0
  for (const page of pages) {
    for (const { kind, start: from, end: to } of page.blocks)
      if (isRunning(kind) && page.text.slice(from, to).trim() !== '') running.push({ start: base + from, end: base + to })
    base += page.text.length + 1
  }
  for (const block of running.toReversed()) {
    if (block.end > end || block.start < start) continue
    text = text.slice(0, block.start) + '\u0000' + text.slice(block.end)
    end -= block.end - block.start - 1
  }
  return text.slice(start, end).replace(/\s*\u0000[\s\u0000]*/g, (gap) => (gap.includes('\f') ? '\f' : '\n\n'))
}
