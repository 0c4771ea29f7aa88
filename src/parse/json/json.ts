import type { Block, Page } from '../../core/parsed.ts'
import { cleanText, MAX_BLOCKS } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/read-text-file.ts'
import type { Parser } from '../parser.ts'
import { isMinified, withLines, withoutEscapes } from './readable.ts'
import { type Entry, scanJson } from './scan.ts'

/** A longer entry is divided into those in it. */
const MAX_ENTRY_CHARS = 2_000
const MIN_SECTION_CHARS = 500
/** How many lines without an error say that every line is a JSON text of its own. */
const MAX_TRIED_LINES = 20
const MAX_TRIED_CHARS = 200_000
/** Keys whose value names a record, in order of preference. */
const NAME = /"(?:name|title|id|key|label)"\s{0,20}:\s{0,20}(?:"([^"\n]{1,100})"|(\d{1,20}))/
const MAX_NAME_WITHIN = 1_000

/**
 * Reads JSON, JSON with comments, and JSON Lines. Keys become sections with their path. The text is that of the file, with escaped characters
 * decoded. If the file has no line breaks, this adds some.
 */
export const parseJson: Parser = async ({ file, limits }, output) => {
  const { text: raw, encoding, confidence } = await readTextFile(file, limits)
  const source = cleanText(raw).trimEnd()
  const isLines = isJsonLines(source)
  const formatted = !isLines && isMinified(source) ? withLines(source, limits.textBytes) : null
  const text = withoutEscapes(formatted ?? source)
  output.open(1)
  output.page({ number: 1, text, blocks: isLines ? lineBlocks(text) : entryBlocks(text) })
  const facts = {
    engine: 'json',
    encoding,
    confidence,
    ...(isLines && { json_lines: true }),
    ...(formatted !== null && { formatted: true }),
  }
  return { title: null, pageCount: 1, warnings: [], facts }
}

/** Returns whether each of the first lines is a complete JSON text. */
function isJsonLines(text: string): boolean {
  let tried = 0
  for (let start = 0; start < text.length && tried < MAX_TRIED_LINES && start < MAX_TRIED_CHARS;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, end).trim()
    start = end + 1
    if (line === '') continue
    if (!/^[{[]/.test(line) || line.length > MAX_TRIED_CHARS || !isJson(line)) return false
    tried++
  }
  return tried > 1
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Each line is a record, and a block. */
function lineBlocks(text: string): Page['blocks'] {
  const blocks: Block[] = []
  for (const { index, 0: line } of text.matchAll(/[^\n]*\S[^\n]*/g)) {
    const end = index + line.trimEnd().length
    if (blocks.length < MAX_BLOCKS) blocks.push({ kind: 'code', start: index, end })
    else blocks.at(-1)!.end = end
  }
  return blocks
}

function entryBlocks(text: string): Page['blocks'] {
  const entries = scanJson(text)
  const isDivided = entries.map(({ start, end }) => end - start > MAX_ENTRY_CHARS)
  const shown = entries.filter(({ parent }) => parent < 0 || isDivided[parent])
  const blocks: Block[] = []
  const add = (start: number, end: number, section: Block['section']): void => {
    const length = text.slice(start, end).trimEnd().length
    if (length === 0) return
    if (blocks.length < MAX_BLOCKS) blocks.push({ kind: 'code', start, end: start + length, ...(section && { section }) })
    else blocks.at(-1)!.end = start + length
  }
  const first = shown[0]
  add(0, first === undefined ? text.length : lineStart(text, first.start), undefined)
  for (const [index, entry] of shown.entries()) {
    const next = shown[index + 1]
    add(lineStart(text, entry.start), next === undefined ? text.length : lineStart(text, next.start), sectionOf(text, entry))
  }
  return blocks
}

/** Returns where the line of an offset begins, if nothing but blanks is before the offset. */
function lineStart(text: string, at: number): number {
  let start = at
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--
  return start === 0 || text[start - 1] === '\n' ? start : at
}

/** A short value is not a section of its own. */
function sectionOf(text: string, { start, end, key, depth, isContainer }: Entry): Block['section'] {
  if (!isContainer && end - start < MIN_SECTION_CHARS) return { level: depth, title: '' }
  if (key !== null) return { level: depth, title: key }
  const match = NAME.exec(text.slice(start, Math.min(end, start + MAX_NAME_WITHIN)))
  return { level: depth, title: match?.[1] ?? match?.[2] ?? '' }
}
