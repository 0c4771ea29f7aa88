import { wrapped } from '../../src/cli/view/width.ts'

/** test/docs.test.ts checks this. */
const MAX_LINE = 100

/** Wraps the prose of a report in Markdown. A row of a table stays on one line. */
export function wrapProse(markdown: string): string {
  return markdown
    .split('\n')
    .flatMap((line) => (line.startsWith('|') ? [line] : wrapped(line, MAX_LINE)))
    .join('\n')
}
