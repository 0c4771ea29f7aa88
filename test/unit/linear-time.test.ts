import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { safeFileName } from '../../src/cli/download.ts'
import { trimEnd } from '../../src/core/trim-end.ts'
import { basicCredentials } from '../../src/http/oauth/client-request.ts'
import { shortTitle } from '../../src/pages/parts.tsx'
import { excerptOf } from '../../src/core/excerpt.ts'
import { AsciidocText } from '../../src/parse/asciidoc/asciidoc-inline.ts'
import { beginsAsLatex } from '../../src/parse/sniff/begins-as.ts'
import { plainRst } from '../../src/parse/markup/rst.ts'
import { LANGUAGES } from '../../src/parse/code/languages.ts'
import { outlineOf, sourceLines } from '../../src/parse/code/code.ts'
import { layoutTables } from '../../src/parse/html/layout-tables.ts'
import { readHtml } from '../../src/parse/html/read-html.ts'
import { siteParts } from '../../src/parse/html/site-parts.ts'
import { scanJson } from '../../src/parse/json/scan.ts'
import { Flow } from '../../src/parse/blocks/flow.ts'
import { readFrontMatter } from '../../src/parse/markdown/markdown.ts'
import { parseQuery } from '../../src/search/parse.ts'
import { parseBytes } from '../support/parse-file.ts'

/** Work that takes time linear in its input ends within a second. Work that takes the square of it would take minutes or hours. */
const DEADLINE_MS = 60_000
const N = 1_000_000
const blanks = ' '.repeat(N)

function flow(code: string): void {
  const pages = new Flow({ chars: 2 * N, pages: 2 })
  pages.text(code)
  pages.end('code')
}

function cell(): void {
  const pages = new Flow({ chars: 2 * N, pages: 1 })
  pages.openTable()
  for (let line = 0; line < N; line++) {
    pages.text('a')
    pages.end('paragraph')
  }
}

function html(source: string): void {
  layoutTables(source)
  siteParts(source)
  readHtml(source, new Flow({ chars: N, pages: 1 }))
}

function outlines(code: string): void {
  for (const language of LANGUAGES) outlineOf(code, sourceLines(code, language), language)
}

test.each<[string, () => unknown]>([
  ['an Authorization header', () => basicCredentials(`Basic ${blanks}x y`)],
  ['a query of quotes that are not closed', () => parseQuery('«'.repeat(N))],
  ['a query of different quotes', () => parseQuery('「«„“'.repeat(N / 4))],
  ['punctuation in quotes', () => expect(() => parseQuery(`"${'. '.repeat(N / 2)}x"`)).toThrow()],
  ['an excluded word of punctuation', () => expect(() => parseQuery(`-${'.'.repeat(N)}x`)).toThrow()],
  ['blanks in a name', () => safeFileName(`x${blanks}x`)],
  ['blanks in a title', () => shortTitle(`x${blanks}x`)],
  ['blanks in a passage', () => excerptOf(blanks, [])],
  ['blanks in code', () => flow(`x${blanks}x`)],
  ['blanks in front matter', () => readFrontMatter(['---', `title:${blanks}\u2028`, '---'])],
  ['a list of tags', () => readFrontMatter(['---', `tags: [${blanks}\u2028`, '---'])],
  ['comments that are never closed in source code', () => outlines('/* """ {- ` <!-- \n'.repeat(N / 50))],
  ['words of a declaration', () => outlines(`${'public static a & * b<c '.repeat(40)}\n`.repeat(N / 5_000))],
  ['marks in a declaration', () => outlines(`${'x && '.repeat(3)}${'&&& ** '.repeat(60)}\n`)],
  [
    'blanks in a declaration',
    () =>
      outlines(
        `${['impl', 'data']
          .map((kind) => `${kind}${' '.repeat(500)}${'a'.repeat(490)}\n`)
          .join('')
          .repeat(N / 2_000)}`,
      ),
  ],
  ['a cell of many lines', cell],
  ['elements that are never closed', () => html(`<table>${'<b>'.repeat(N)}`)],
  ['drawings that are never closed', () => html('<svg>'.repeat(N))],
  ['lists in lists of JSON', () => scanJson('['.repeat(N))],
  ['quotes in reStructuredText', () => plainRst('`a *b '.repeat(N / 10))],
  ['blanks in reStructuredText', () => plainRst(`\`${' '.repeat(1_998)}\` x `.repeat((10 * N) / 2_000))],
  ['marks in AsciiDoc', () => new AsciidocText(new Map(), N).plain('`a *b _c #d [e pass:[f kbd:[g http://h['.repeat(N / 40))],
  ['comments before LaTeX', () => beginsAsLatex('% \n '.repeat(N / 4))],
  ['comments in front matter', () => readFrontMatter(['---', `tags:`, `- ${'# '.repeat(N / 2)}\u2028`, '---'])],
])('%s takes time linear in its length', (_, work) => {
  runInNewContext('work()', { work }, { timeout: DEADLINE_MS })
})

test.each<[string, string, string]>([
  ['fields of reStructuredText', 'a.rst', `.. code::\n\n${'   :a: b\n'.repeat(N / 4)}`],
  ['notes in notes of reStructuredText', 'a.rst', '.. [1] '.repeat(N / 2)],
  ['a line of reStructuredText that looks like a rule', 'a.rst', `== ==\n${'='.repeat(N)}x\n== ==\n`],
  ['arguments of LaTeX that are never closed', 'a.tex', String.raw`\def{\x[\(`.repeat((2 * N) / 10)],
  ['brackets in the HTML of a message', 'a.eml', twoBodies('hi', '<'.repeat(2 * N))],
])('reads %s in time linear in their length', async (_, name, source) => {
  expect((await parseBytes(source, name)).pages).toHaveLength(1)
})

function twoBodies(text: string, markup: string): string {
  const part = (type: string, body: string): string => `--b\nContent-Type: text/${type}\n\n${body}\n`
  return `From: a@example.org\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n\n${part('plain', text)}${part('html', markup)}--b--\n`
}

test('removes only the characters at the end', () => {
  expect(trimEnd(' a b . ', /[\s.]/)).toBe(' a b')
  expect(trimEnd('...', /\./)).toBe('')
})
