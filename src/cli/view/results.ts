import type { SearchResult } from '../../contract/search.ts'
import type { Span } from '../../core/excerpt.ts'
import { formatOf } from '../../core/formats.ts'
import { formatLocation } from '../../core/location.ts'
import { hyperlink, type Style, count } from './style.ts'
import { joined, oneLine, safeSameLength, safe, type Printable, type Styled } from './safe.ts'
import { textWidth, truncate, truncatePath, wrap } from './width.ts'

interface Layout {
  width: number
  style: Style
  /** Link names to the passage in the web interface. */
  links: boolean
  /** How many lines to show before and after each snippet; Infinity for whole passages. */
  moreLines: number
}

interface ListLayout extends Layout {
  showsProject: boolean
  /** As many spaces as the longest rank takes. */
  indent: string
}

const SNIPPET_LINES = 3
/** A path gets this share of its line when the heading doesn't fit next to it. */
const PATH_SHARE = 0.6
const MIN_PATH_WIDTH = 12
const MIN_PLACE_WIDTH = 12
/** A heading with less room than this is left out. */
const MIN_HEADING_WIDTH = 16

/**
 * Formats results for a terminal. Each has a line with rank, path, page, heading and score, and a snippet of at most three lines with its
 * matches marked.
 */
export function formatResults(results: readonly SearchResult[], layout: Layout): Styled {
  const projects = new Set(results.map(({ document }) => document.project.id)).size
  const longestRank = results.reduce((longest, { rank }) => Math.max(longest, String(rank).length), 0)
  const indent = ' '.repeat(longestRank + '. '.length)
  return joined(
    results.map((result) => formatResult(result, { ...layout, showsProject: projects > 1, indent })),
    '\n',
  )
}

function formatResult(result: SearchResult, layout: ListLayout): Styled {
  const { style, width, moreLines, indent } = layout
  const lines: Printable[] = [headerOf(result, layout)]
  const indented = (line: Printable) => lines.push(safe`${indent}${line}`)
  const { context } = result.chunk
  if (context !== '') indented(style.dim(truncate(oneLine(context), width - indent.length)))
  // A table's header row is one of the lines.
  const count = context === '' ? SNIPPET_LINES : SNIPPET_LINES - 1
  for (const line of passage(result, { width: width - indent.length, style, count, around: moreLines })) indented(line)
  if (moreLines === Infinity && result.also_in.length > 0) indented(style.dim(`also in ${alsoIn(result)}`))
  if (result.explain !== undefined) indented(style.dim(explanation(result.explain)))
  return safe`${joined(lines, '\n')}\n`
}

/** The line with rank, path, page, heading and score. */
export function headerOf(
  result: SearchResult,
  { width, style, links, showsProject, indent }: Omit<ListLayout, 'moreLines'>,
): Styled {
  const { document, chunk } = result
  const rank = `${result.rank}.`.padEnd(indent.length)
  const line = lineOf(result)
  const score = result.score.toFixed(2)
  const others = withDots([passagesOf(result), copiesOf(result), showsProject ? oneLine(document.project.name) : ''])
  const roomWithoutPlace = width - rank.length - line.length - textWidth(others) - score.length - 2
  // A place can be long, because it can contain the name of a sheet or of a person.
  const place = line === '' ? truncate(placeOf(result), Math.max(MIN_PLACE_WIDTH, roomWithoutPlace - MIN_PATH_WIDTH - 3)) : ''
  const fact = withDots([place]) + others
  const room = Math.max(MIN_PATH_WIDTH, roomWithoutPlace - textWidth(withDots([place])))
  const [path, heading] = [oneLine(document.path), oneLine(chunk.heading)]
  const forPath = textWidth(path) + 3 + textWidth(heading) <= room ? room : Math.floor(room * PATH_SHARE)
  const beside = room - Math.min(textWidth(path), forPath) - 3
  const showsHeading = heading !== '' && beside >= Math.min(MIN_HEADING_WIDTH, textWidth(heading))
  const shownPath = style.bold(truncatePath(path, showsHeading ? forPath : room))
  // Earlier versions of the API have no `url`.
  const name = links ? hyperlink(shownPath, result.url) : shownPath
  const shownHeading = showsHeading ? style.dim(` · ${truncatePath(heading, beside)}`) : ''
  return safe`${rank}${name}${line}${fact}${shownHeading}  ${style.dim(score)}`
}

function withDots(facts: readonly string[]): string {
  return facts.map((one) => (one === '' ? '' : ` · ${one}`)).join('')
}

/** Returns the line of source code with the first match of the snippet, after a colon as in grep, so that editors open the file there. */
function lineOf(result: SearchResult): string {
  const { location, text, highlights } = result
  const first = isCode(result) ? /^lines? (\d+)/.exec(location ?? '')?.[1] : undefined
  if (first === undefined) return ''
  const [from, to] = spanOf(snippetOf(text, highlights, { width: Infinity, count: SNIPPET_LINES, around: 0 }))
  const at = highlights.find(([start]) => start >= from && start < to)?.[0] ?? from
  return `:${Number(first) + text.slice(0, at).split('\n').length - 1}`
}

function spanOf(lines: readonly Span[]): Span {
  return [lines[0]?.[0] ?? 0, lines.at(-1)?.[1] ?? 0]
}

function isCode({ document }: SearchResult): boolean {
  return formatOf(document.media_type)?.isCode === true
}

/** Earlier versions of the API send no location. */
function placeOf({ document, location, chunk: { page_start: pageStart, page_end: pageEnd } }: SearchResult): string {
  const place = location === undefined ? formatLocation({ mediaType: document.media_type, pageStart, pageEnd }) : location
  return place === null ? '' : oneLine(place)
}

function passagesOf({ matching_chunks: passages = 1 }: SearchResult): string {
  return passages < 2 ? '' : count(passages, 'passage')
}

function copiesOf({ also_in: others }: SearchResult): string {
  return others.length === 0 ? '' : count(others.length, 'copy', 'copies')
}

function alsoIn(result: SearchResult): string {
  return result.also_in.map(({ name, page_start }) => `${oneLine(name)} (page ${page_start})`).join(', ')
}

/** Wraps the passage, cuts it to `count` lines and `around` more on each side, and marks the highlights in each line. */
export function passage(
  result: SearchResult,
  { width, style, count, around }: { width: number; style: Style; count: number; around: number },
): Printable[] {
  const { highlights } = result
  const given = safeSameLength(result.text).replaceAll('\t', ' ')
  const text = isCode(result) ? given : unwrapped(given)
  return snippetOf(text, highlights, { width, count, around }).map(([from, end]) => marked(text, from, end, highlights, style))
}

function marked(text: string, from: number, end: number, highlights: SearchResult['highlights'], style: Style): Styled {
  const to = from + text.slice(from, end).trimEnd().length
  const parts: Printable[] = []
  let at = from
  for (const [start, end] of highlights) {
    const [first, last] = [Math.max(start, at), Math.min(end, to)]
    if (first >= last) continue
    parts.push(text.slice(at, first), style.mark(text.slice(first, last)))
    at = last
  }
  return joined([...parts, text.slice(at, to)])
}

function explanation(explain: NonNullable<SearchResult['explain']>): string {
  const stage = (name: string, value: { rank: number; score: number } | null) =>
    value === null ? `${name} –` : `${name} #${value.rank} (${value.score.toFixed(3)})`
  return [
    stage('keyword', explain.keyword),
    stage('vector', explain.vector),
    stage('fused', explain.fused),
    stage('rerank', explain.rerank) + featuresOf(explain.rerank?.features),
    // Other versions of the API may lack the field.
    ...(explain.reserved ? [`place ${explain.reserved.rank} reserved: ${oneLine(explain.reserved.reason)}`] : []),
  ].join(' · ')
}

/** The parts of a score, largest first, without those that round to zero. */
function featuresOf(features: Readonly<Record<string, number>> = {}): string {
  const parts = Object.entries(features).filter(([, value]) => value >= 0.0005)
  const shown = parts.toSorted(([, a], [, b]) => b - a).map(([name, value]) => `${oneLine(name)} ${value.toFixed(3)}`)
  return shown.length === 0 ? '' : ` = ${shown.join(' + ')}`
}

/** A line of this many characters was most likely broken because it was full, as in a PDF. */
const FULL_LINE = 40
/** The beginning of an item or a row, which keeps its own line. */
const OWN_LINE = /^[^\S\n]*(?:[-*•‣▪|#>]|\(?\w{1,3}[.)]\s)/

/** Replaces the line breaks within paragraphs by blanks, so that the text can be wrapped again. Keeps its length. */
function unwrapped(text: string): string {
  const lines = text.split('\n')
  return lines.reduce((all, line, i) => {
    const before = lines[i - 1]!
    const continues = before.trimEnd().length >= FULL_LINE && line.trim() !== '' && !OWN_LINE.test(line)
    return all + (continues ? ' ' : '\n') + line
  })
}

/**
 * Returns the lines to show of a passage, as spans of the text: the `count` neighbouring lines with the most different words of the question
 * and `around` more on each side. Blank lines don't count.
 */
function snippetOf(
  text: string,
  marks: readonly Span[],
  { width, count, around }: { width: number; count: number; around: number },
): Span[] {
  const lines = wrap(text, width).filter(([from, to]) => text.slice(from, to).trim() !== '')
  if (lines.length <= count) return lines
  const words = lines.map(([from, to]) =>
    marks.filter(([start, end]) => start < to && end > from).map(([start, end]) => text.slice(start, end).toLowerCase()),
  )
  let best = { first: 0, last: 0, score: -1 }
  for (let at = 0; at + count <= lines.length; at++) {
    const inside = words.slice(at, at + count).flat()
    const score = new Set(inside).size + inside.length / 1000
    if (score > best.score) best = { first: at, last: at, score }
    else if (score === best.score && at === best.last + 1) best.last = at
  }
  // Among equal places the middle one, so that there is some text before the words and after them.
  const from = Math.floor((best.first + best.last) / 2)
  return lines.slice(Math.max(0, from - around), from + count + around)
}
