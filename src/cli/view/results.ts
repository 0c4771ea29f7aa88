import type { SearchResult } from '../../contract/search.ts'
import { hyperlink } from './hyperlink.ts'
import { oneLine, safeSameLength } from './safe.ts'
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
export function formatResults(results: readonly SearchResult[], layout: Layout): string {
  return results.map((result) => formatResult(result, layout)).join('\n')
}

function formatResult(result: SearchResult, { width, style, links }: Layout): string {
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
  const lines = [rank + shown + facts + style.dim(score)]
  if (chunk.heading !== '') lines.push(INDENT + style.dim(truncate(oneLine(chunk.heading), width - INDENT.length)))
  if (chunk.context !== '') lines.push(INDENT + style.dim(truncate(oneLine(chunk.context), width - INDENT.length)))
  lines.push(...passage(result, width - INDENT.length, style).map((line) => (line === '' ? '' : INDENT + line)))
  if (result.also_in.length > 0) lines.push(INDENT + style.dim(`also in ${alsoIn(result)}`))
  if (result.explain !== undefined) lines.push(INDENT + style.dim(explanation(result.explain)))
  return lines.join('\n') + '\n'
}

function alsoIn(result: SearchResult): string {
  return result.also_in.map(({ name, page_start }) => `${oneLine(name)} (page ${page_start})`).join(', ')
}

/** Wraps the passage and marks the highlights in each line. */
function passage(result: SearchResult, width: number, style: Style): string[] {
  const text = safeSameLength(result.text)
  return wrap(text, width)
    .map(([from, to]) => marked(text, from, to, result.highlights, style))
    .filter(
      (line, number, lines) =>
        line.trim() !== '' || (number > 0 && number < lines.length - 1 && lines[number - 1]!.trim() !== ''),
    )
}

function marked(text: string, from: number, to: number, highlights: SearchResult['highlights'], style: Style): string {
  let line = ''
  let at = from
  for (const [start, end] of highlights) {
    const [first, last] = [Math.max(start, at), Math.min(end, to)]
    if (first >= last) continue
    line += text.slice(at, first) + style.mark(text.slice(first, last))
    at = last
  }
  return (line + text.slice(at, to)).replaceAll('\t', ' ').trimEnd()
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
