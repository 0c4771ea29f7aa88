import type { Block, Page } from '../../core/parsed.ts'
import { cleanText, MAX_BLOCKS } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/read-text-file.ts'
import type { Parser } from '../parser.ts'
import type { Syntax } from './language.ts'
import { languageOf } from './languages.ts'
import { outlineOf } from './outline.ts'
import { type SourceLine, sourceLines } from './source-lines.ts'

/** A longer definition is divided at blank lines into blocks of at least `MIN_PART_CHARS`. */
const MAX_BLOCK_CHARS = 3_000
const MIN_PART_CHARS = 1_200
const UNKNOWN: Syntax = {}

/** Reads source code as it is, line by line. Functions, classes and keys become sections, with the comments above them. */
export const parseCode: Parser = async ({ file, name = '', limits }, output) => {
  const { text: raw, encoding, confidence } = await readTextFile(file, limits)
  const text = cleanText(raw).trimEnd()
  const language = languageOf(name, text.slice(0, 300))
  output.open(1)
  output.page(codePage(text, language ?? UNKNOWN))
  const facts = { engine: 'code', encoding, confidence, ...(language && { language: language.name }) }
  return { title: null, pageCount: 1, warnings: [], facts }
}

function codePage(text: string, language: Syntax): Page {
  const lines = sourceLines(text, language)
  const sections = outlineOf(text, lines, language)
  const blocks: Block[] = []
  let from = 0
  let section: Block['section']
  for (const next of [...sections, { line: lines.length, level: 1, title: '' }]) {
    addBlocks(blocks, text, lines, [from, next.line], section)
    from = next.line
    section = { level: next.level, title: next.title }
  }
  return { number: 1, text, blocks }
}

/** Adds the blocks of some lines. The first one begins the section. */
function addBlocks(
  blocks: Block[],
  text: string,
  lines: readonly SourceLine[],
  [from, to]: [number, number],
  section: Block['section'],
): void {
  const isBlank = (index: number) => lines[index]!.first === lines[index]!.end
  let own = section
  const add = (first: number, last: number): void => {
    while (first <= last && isBlank(first)) first++
    while (last >= first && isBlank(last)) last--
    if (first > last) return
    const { start } = lines[first]!
    const end = start + text.slice(start, lines[last]!.end).trimEnd().length
    if (blocks.length < MAX_BLOCKS) blocks.push({ kind: 'code', start, end, ...(own && { section: own }) })
    else blocks.at(-1)!.end = end
    own = undefined
  }
  if (from >= to) return
  let first = from
  if (lines[to - 1]!.end - lines[from]!.start > MAX_BLOCK_CHARS) {
    for (let index = from + 1; index < to; index++) {
      if (!isBlank(index) || lines[index]!.start - lines[first]!.start < MIN_PART_CHARS) continue
      add(first, index - 1)
      first = index
    }
  }
  add(first, to - 1)
}
