import type { SearchResult } from '../../contract/search.ts'
import { hyperlink } from './hyperlink.ts'
import { joined, oneLine, safeSameLength, safe } from './safe.ts'
import type { Printable, Styled } from './safe.ts'
import type { Style } from './style.ts'
import { count } from './style.ts'
import { textWidth, truncate, wrap } from './width.ts'

interface Layout {
  width: number
  style: Style
  /** Link names to the passage in the web interface. */
  links: boolean
}

const INDENT = '   '

/** Formats results for a terminal: document, page, project and heading, then the passage with its matches marked. */
export function formatResults(results: readonly SearchResult[], layout: Layout): Styled {
  return joined(
    results.map((result) => formatResult(result, layout)),
    '\n',
  )
}

function formatResult(result: SearchResult, { width, style, links }: Layout): Styled {
  const { document, chunk } = result
  const rank = `${result.rank}.`.padEnd(INDENT.length)
  const pages = chunk.page_start === chunk.page_end ? `page ${chunk.page_start}` : `pages ${chunk.page_start}–${chunk.page_end}`
  const more =
    result.matching_chunks === undefined || result.matching_chunks < 2 ? '' : ` · ${count(result.matching_chunks, 'passage')}`
  const facts = ` · ${pages}${more} · ${oneLine(document.project.name)}  `
  const score = result.score.toFixed(2)
  const name = truncate(oneLine(document.name), Math.max(12, width - rank.length - textWidth(facts) - score.length))
  // Earlier versions of the API have no `url`.
  const shown = links ? hyperlink(style.bold(name), result.url) : style.bold(name)
  const lines: Printable[] = [safe`${rank}${shown}${facts}${style.dim(score)}`]
  const indented = (line: Printable) => lines.push(safe`${INDENT}${line}`)
  if (chunk.heading !== '') indented(style.dim(truncate(oneLine(chunk.heading), width - INDENT.length)))
  if (chunk.context !== '') indented(style.dim(truncate(oneLine(chunk.context), width - INDENT.length)))
  for (const line of passage(result, width - INDENT.length, style))
    if (line === '') lines.push('')
    else indented(line)
  if (result.also_in.length > 0) indented(style.dim(`also in ${alsoIn(result)}`))
  if (result.explain !== undefined) indented(style.dim(explanation(result.explain)))
  return safe`${joined(lines, '\n')}\n`
}

function alsoIn(result: SearchResult): string {
  return result.also_in.map(({ name, page_start }) => `${oneLine(name)} (page ${page_start})`).join(', ')
}

/** Wraps the passage and marks the highlights in each line. */
function passage(result: SearchResult, width: number, style: Style): Printable[] {
  const text = safeSameLength(result.text).replaceAll('\t', ' ')
  const isBlank = ([from, to]: readonly [number, number]) => text.slice(from, to).trim() === ''
  return wrap(text, width)
    .filter((line, number, lines) => !isBlank(line) || (number > 0 && number < lines.length - 1 && !isBlank(lines[number - 1]!)))
    .map((line) => (isBlank(line) ? '' : marked(text, ...line, result.highlights, style)))
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
