import { expect, test } from 'vitest'
import { parseBytes } from '../../support/parse-file.ts'
import type { Page } from '../../../src/core/parsed.ts'
import type { ParseSummary } from '../../../src/parse/parser.ts'
import { FORMAT_SAMPLES } from '../../support/format-samples.ts'

// What docsearch reads in a document of each format, in one snapshot. A difference is either a bug, or needs a new version of the
// parser. `npx vitest run golden -u` writes the snapshot again.

test.each(FORMAT_SAMPLES)('%s', async (name, bytes) => {
  expect(show(await parseBytes(bytes, name))).toMatchSnapshot()
})

/** Shows what was read: a line for each line of text, with the kind of its block. */
function show({ title, tags, pages, warnings, facts }: ParseSummary & { pages: Page[] }): string {
  const { took_ms: _time, encoding: _encoding, confidence: _confidence, ...others } = facts
  return [
    ...(title ? [label('title', title)] : []),
    ...(tags?.length ? [label('tags', tags.join(', '))] : []),
    ...Object.entries(others).map(([name, value]) => label(name, String(value))),
    ...warnings.map(({ code, page }) => label('warning', page === undefined ? code : `${code}, page ${page}`)),
    ...pages.flatMap(({ number, running, blocks, text }) => [
      `page ${number}`,
      ...(running ?? []).map((line) => label('left out', line)),
      ...blocks.map(({ kind, start, end, level, header }) =>
        label([kind, level, header && 'header'].filter(Boolean).join(' '), text.slice(start, end)),
      ),
    ]),
  ].join('\n')
}

/** Puts the label next to the first line of a text. */
function label(what: string, text: string): string {
  return text
    .split('\n')
    .map((line, i) => `${(i === 0 ? what : '').padEnd(16)} | ${line}`.trimEnd())
    .join('\n')
}
