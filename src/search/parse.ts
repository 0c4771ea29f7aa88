import { DocsearchError } from '../core/errors.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import { isUnspaced } from '../text/tokenize.ts'

/** Each costs a look at every passage. */
const MOST_OPERATORS = 20
/** A question with more than this outside of operators is prose, which quotes and has dashes without meaning anything by them. */
const PROSE_CHARACTERS = 200

/** What the operators of a question demand of a passage. */
export type OperatorFilter = {
  [F in 'phrases' | 'withoutPhrases' | 'nameParts' | 'withoutNameParts']: NonNullable<SearchFilter[F]>[number][]
}

/** A question in two parts: its words, and the filter that its operators make. */
export interface ParsedQuery {
  /** The question without operators. The words of quoted phrases are part of it. */
  text: string
  /** Where in the query the words stand that may be corrected: outside of quotes and operators. */
  free: [start: number, end: number][]
  filter: OperatorFilter
}

/** By opening quote, those that close it: English, German and Swedish, French, Danish, Chinese and Japanese. */
const QUOTES = new Map([
  ['"', '"'],
  ['“', '”'],
  ['„', '“”'],
  ['”', '”'],
  ['«', '»'],
  ['»', '«»'],
  ['「', '」'],
  ['『', '』'],
  ['＂', '＂'],
])
/** These close as well as they open: after a letter they are not the beginning of anything (5" pipe). */
const TWO_WAYS = new Set(['"', '”', '»', '＂'])
const NAME = /name:/iy
const WORD = /[^\s"“”„«»「」『』＂]+/uy
const HAS_LETTER = /[\p{L}\p{N}]/u
/** After these a word with a dash in front is short for a longer one: „Personen und -gruppen“. */
const SHARES_A_WORD = /(?:^|\s)(?:und|oder|sowie|bzw\.|och|og|eller)\s+$/i
const AROUND = /^[([{]+|[.,;:!?)\]}'…。、！？]+$/gu

/**
 * Reads `"a phrase"`, `-word`, `-"a phrase"`, `name:part` and `-name:part`. Everything else is what is asked: a quote that is not closed, a dash alone or
 * inside a word, a colon after any other word, and all of it in prose (more than 200 characters beside the operators). Throws DocsearchError `invalid_query` when nothing is left to look for, or there are too many of them.
 */
export function parseQuery(query: string): ParsedQuery {
  const parsed: ParsedQuery = { text: '', free: [], filter: noFilter() }
  let from = 0
  const plain = (to: number) => {
    if (to <= from) return
    parsed.text += query.slice(from, to)
    parsed.free.push([from, to])
  }
  for (let at = 0; at < query.length;) {
    const found = operatorAt(query, at)
    // Quotes around nothing are characters like others.
    if (found === null || found.value === '') {
      at = found?.end ?? at + 1
      continue
    }
    plain(at)
    at = from = found.end
    parsed.filter[found.into].push(found.value)
    // A blank keeps the words apart that stood on both sides of it.
    parsed.text += found.into === 'phrases' ? ` ${found.value} ` : ' '
  }
  plain(query.length)
  if (parsed.free.reduce((sum, [start, end]) => sum + end - start, 0) > PROSE_CHARACTERS) return prose(query)
  const operators = Object.values(parsed.filter).flat().length
  if (operators > MOST_OPERATORS) throw tooMany(operators)
  if (operators > 0 && !HAS_LETTER.test(parsed.text)) throw nothingAsked()
  if (operators > 0) parsed.text = parsed.text.replace(/\s+/g, ' ').trim()
  return parsed
}

function prose(query: string): ParsedQuery {
  return { text: query, free: [[0, query.length]], filter: noFilter() }
}

function noFilter(): OperatorFilter {
  return { phrases: [], withoutPhrases: [], nameParts: [], withoutNameParts: [] }
}

interface Operator {
  into: keyof OperatorFilter
  value: string
  end: number
}

function operatorAt(query: string, at: number): Operator | null {
  const quoted = quotedAt(query, at)
  if (quoted !== null) return { into: 'phrases', ...quoted }
  if (at > 0 && !/[\s(]/.test(query[at - 1]!)) return null
  if (query[at] !== '-') return nameAt(query, at, 'nameParts')
  if (isName(query, at + 1)) return nameAt(query, at + 1, 'withoutNameParts')
  if (SHARES_A_WORD.test(query.slice(Math.max(0, at - 10), at))) return null
  return withInto('withoutPhrases', quotedAt(query, at + 1) ?? wordAt(query, at + 1))
}

function nameAt(query: string, at: number, into: 'nameParts' | 'withoutNameParts'): Operator | null {
  if (!isName(query, at)) return null
  const value = at + 'name:'.length
  return withInto(into, quotedAt(query, value, true) ?? wordAt(query, value))
}

function isName(query: string, at: number): boolean {
  NAME.lastIndex = at
  return NAME.test(query)
}

function withInto(into: Operator['into'], found: { value: string; end: number } | null): Operator | null {
  return found && { into, ...found }
}

function quotedAt(query: string, at: number, afterColon = false): { value: string; end: number } | null {
  const closing = QUOTES.get(query[at] ?? '')
  if (closing === undefined) return null
  const before = query[at - 1] ?? ' '
  if (!afterColon && TWO_WAYS.has(query[at]!) && HAS_LETTER.test(before) && !isUnspaced(before)) return null
  for (let end = at + 1; end < query.length; end++) {
    if (!closing.includes(query[end]!)) continue
    // What a sentence ends with is often put inside the quotes, and says nothing of the phrase.
    const value = query
      .slice(at + 1, end)
      .replace(/[\s.,;:!?。、！？]+$/u, '')
      .trimStart()
    return { value: HAS_LETTER.test(value) ? value : '', end: end + 1 }
  }
  return null
}

function wordAt(query: string, at: number): { value: string; end: number } | null {
  WORD.lastIndex = at
  const raw = WORD.exec(query)?.[0]
  if (raw === undefined || raw.startsWith('-')) return null
  const value = raw.replace(AROUND, '')
  return HAS_LETTER.test(value) ? { value, end: at + raw.length } : null
}

function nothingAsked(): DocsearchError {
  return new DocsearchError(
    'invalid_query',
    'The query says only what to leave out or in which documents to look. Add a word to look for; `documents list --name` lists documents by name.',
  )
}

function tooMany(count: number): DocsearchError {
  return new DocsearchError(
    'invalid_query',
    `The query has ${count} quoted phrases, exclusions and names, the limit is ${MOST_OPERATORS}.`,
  )
}
