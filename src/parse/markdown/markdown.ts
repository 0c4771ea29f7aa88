import type { Page } from '../../core/parsed.ts'
import { cleanText } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/decode.ts'
import type { Parser } from '../parser.ts'
import { BlockReader, MarkdownPage } from './block-reader.ts'
import { readReferences } from './lines.ts'

/**
 * Reads Markdown into one page of headings, paragraphs, list items, code and table rows, with the blocks of HTML among them.
 * The text is what a reader of the rendered page sees, so that a phrase is found whatever marks are in it. Only the marks and
 * numbers of list items stay, and code is as written.
 */
export const parseMarkdown: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  const { page, title, tags } = readMarkdown(text)
  output.open(1)
  output.page(page)
  return { title, tags, pageCount: 1, warnings: [], facts: { engine: 'markdown', encoding, confidence } }
}

/** Returns the page, its tags, and its title: from the front matter, else the first heading of the first level. */
export function readMarkdown(source: string): { page: Page; title: string | null; tags: string[] } {
  const lines = cleanText(source).split('\n')
  const front = readFrontMatter(lines)
  const content = lines.slice(front?.lines ?? 0)
  const page = new MarkdownPage(readReferences(content))
  new BlockReader(page, content).read()
  return { page: page.build(), title: front?.title ?? page.title, tags: front?.tags ?? [] }
}

/** The data at the beginning of a Markdown file. */
interface FrontMatter {
  title: string | null
  tags: string[]
  /** Number of its lines, with the marks. */
  lines: number
}

/** Text between two rules can look like front matter, but front matter is never longer than this. */
const MAX_LINES = 300
const MAX_TAGS = 100
const MAX_TAG_CHARS = 100
/** Limit on one value. */
const MAX_CHARS = 20_000
/** The marks and keys of YAML and TOML. In TOML, the name of a table ends the keys of the document itself. */
const FORMATS = [
  { open: '---', close: /^(?:---|\.\.\.)[ \t]*$/, key: /^([\w-]+)[ \t]*:(?:[ \t]+(.*))?$/s, end: null },
  { open: '+++', close: /^\+\+\+[ \t]*$/, key: /^([\w-]+)[ \t]*=[ \t]*(.*)$/s, end: /^\s*\[/ },
] as const

/** Reads the YAML between `---` and `---`, or the TOML between `+++` and `+++`, at the very beginning; null if there is none. */
export function readFrontMatter(lines: readonly string[]): FrontMatter | null {
  const format = FORMATS.find(({ open }) => lines[0]?.trimEnd() === open)
  if (format === undefined) return null
  const end = lines.findIndex((line, i) => i > 0 && i < MAX_LINES && format.close.test(line))
  if (end < 0) return null
  const inside = lines.slice(1, end)
  const values = topLevel(inside, format)
  // A rule followed by an underlined heading looks like front matter, but its lines have no keys.
  if (values.size === 0 && inside.some((line) => line.trim() !== '')) return null
  return { title: titleOf(values.get('title') ?? []), tags: tagsOf(values.get('tags') ?? []), lines: end + 1 }
}

/** Returns the trimmed lines of each value, beginning with the one next to the key. Nested keys are part of the value. */
function topLevel(inside: readonly string[], { key: pattern, end }: (typeof FORMATS)[number]): Map<string, string[]> {
  const values = new Map<string, string[]>()
  let open: string[] | null = null
  for (const line of inside) {
    const [, key, value = ''] = pattern.exec(line) ?? []
    if (key !== undefined) {
      open = value.trim() === '' ? [] : [value.trim()]
      values.set(key.toLowerCase(), open)
    } else if (end?.test(line) && !isOpenList(open)) break
    else if (line.trim() !== '' && !line.trimStart().startsWith('#')) open?.push(line.trim())
  }
  return values
}

function isOpenList(value: readonly string[] | null): boolean {
  return value?.[0]?.startsWith('[') === true && value.at(-1)?.endsWith(']') === false
}

/** Returns the title; null if there is none, or if it is a list or an object. */
function titleOf(value: readonly string[]): string | null {
  const text = value
    .join(' ')
    .slice(0, MAX_CHARS)
    .replace(/^[>|][+-]?\d?\s+/, '')
  return /^[[{]/.test(text) ? null : scalar(text) || null
}

/** Reads `[a, "b c"]`, `a, b` or lines that begin with a dash. Removes the `#` that some programs write in front of each tag. */
function tagsOf(value: readonly string[]): string[] {
  const isLines = value.some((line) => line.startsWith('- '))
  const inOne = value
    .join(' ')
    .slice(0, MAX_CHARS)
    .replace(/^[>|][+-]?\d?\s+/, '')
    .replace(/^\[(.*?)\](?:\s+#.*)?$/s, (_, list: string) => list.trimEnd().replace(/,$/, ''))
  const items = isLines
    ? value.filter((line) => line.startsWith('- ')).map((line) => line.slice(2))
    : (inOne.match(/(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'])(?:"(?:[^"\\]|\\.)*"|[^,])*/g) ?? [])
  // A comma separates tags in every notation.
  const tags = items.flatMap((item) => scalar(item).split(',')).map((tag) => tag.trim().replace(/^#+/, ''))
  // Objects and the rest of an unclosed list are no tags.
  const valid = tags.filter((tag) => tag !== '' && tag.length <= MAX_TAG_CHARS && !/[[\]{}]|:(?:\s|$)/.test(tag))
  return [...new Set(valid)].slice(0, MAX_TAGS)
}

/** Returns a value without its quotes and escapes, or an unquoted value without its comment. */
function scalar(text: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')(?:\s+#.*)?$/s.exec(text.trim()) ?? []
  if (single !== undefined) return single.replaceAll("''", "'").trim()
  if (double !== undefined) return unescape(double).trim()
  return text
    .trim()
    .replace(/(?:^|\s)#\s.*$/s, '')
    .trim()
}

function unescape(text: string): string {
  return text
    .replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_all, code: string | undefined, character: string | undefined) =>
      code === undefined
        ? character === 'n' || character === 't'
          ? ' '
          : character!
        : String.fromCharCode(Number.parseInt(code, 16)),
    )
    .toWellFormed()
}
