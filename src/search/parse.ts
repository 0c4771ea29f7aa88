import { DocsearchError } from '../core/errors.ts'
import { namedMediaType } from '../core/formats.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import { trimEnd } from '../core/trim-end.ts'
import { isUnspaced } from '../text/tokenize.ts'

/** Each operator costs a check of every passage. */
const MAX_OPERATORS = 20
/** Characters in all operators together. The time of the check grows with them. */
const MAX_OPERATOR_CHARACTERS = 1_000
/** A question with more characters than this outside of operators is prose: its quotes and dashes are ordinary characters. */
const MAX_FREE_CHARACTERS = 200

/** Operators that begin with a word and a colon: the filters for what has the value, and for what does not. */
const FIELDS = {
  name: ['nameParts', 'withoutNameParts'],
  path: ['operatorPaths', 'withoutPaths'],
  tag: ['operatorTags', 'withoutTags'],
  type: ['operatorTypes', 'withoutTypes'],
} as const

/** The same for the headers of messages. A message has a date or not, so nothing excludes by date. */
const MESSAGE_FIELDS = {
  from: ['from', 'withoutFrom'],
  to: ['to', 'withoutTo'],
  subject: ['subject', 'withoutSubject'],
  after: ['after', null],
  before: ['before', null],
} as const

type Field = keyof typeof FIELDS | keyof typeof MESSAGE_FIELDS
type MessageName = NonNullable<(typeof MESSAGE_FIELDS)[keyof typeof MESSAGE_FIELDS][number]>
/** What the operators demand of the header of a message. */
export type MessageOperators = { [N in MessageName]?: string[] }
type FilterName = 'phrases' | 'withoutPhrases' | (typeof FIELDS)[keyof typeof FIELDS][number]

/** What the operators of a question demand of a passage. A filter that no operator sets is missing. */
export type OperatorFilter = { [F in FilterName]?: NonNullable<SearchFilter[F]>[number][] }

/** A question in two parts: its words, and the filter that its operators make. */
export interface ParsedQuery {
  /** The question without operators. The words of quoted phrases are part of it. */
  text: string
  /** Where in the query the words stand that may be corrected: outside of quotes and operators. */
  free: [start: number, end: number][]
  filter: OperatorFilter
  messages?: MessageOperators
}

/** The closing quotes of each opening quote: English, German and Swedish, French, Danish, Chinese and Japanese. */
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
/** Quotes that open and close. After a letter they open nothing: 5" pipe. */
const OPEN_AND_CLOSE = new Set(['"', '”', '»', '＂'])
const FIELD = /(name|path|tag|type|from|to|subject|after|before):/iy
const DATE = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/
const WORD = /[^\s"“”„«»「」『』＂]+/uy
const HAS_LETTER = /[\p{L}\p{N}]/u
/** After these words, a dash stands for the first part of a compound: „Personen und -gruppen“. */
const BEFORE_SHORT_FORM = /(?:^|\s)(?:und|oder|sowie|bzw\.|och|og|eller)\s+$/i
const PUNCTUATION_BEFORE = /^[([{]+/u
const PUNCTUATION_AFTER = /[.,;:!?)\]}'…。、！？]/u
const END_OF_SENTENCE = /[\s.,;:!?。、！？]/u

/**
 * Reads the operators `"a phrase"`, `-word` and `-"a phrase"`, and `name:part`, `path:prefix`, `tag:tag`, `type:pdf`,
 * `from:person`, `to:person` and `subject:words`, also after a dash, and `after:2026-03` and `before:2026-03-31`.
 * Everything else is part of the question: an
 * unclosed quote, a dash alone or inside a word, a colon after any other word, a type that does not exist, a date that is none, and the whole of a prose question (more than 200
 * characters outside of operators). Throws DocsearchError `invalid_query` when no word is left to look for, or the operators are over a limit.
 */
export function parseQuery(query: string): ParsedQuery {
  const parsed: ParsedQuery = { text: '', free: [], filter: {} }
  const quotes = new Quotes(query)
  let from = 0
  const addFree = (to: number) => {
    if (to <= from) return
    parsed.text += query.slice(from, to)
    parsed.free.push([from, to])
  }
  for (let at = 0; at < query.length;) {
    const found = operatorAt(query, at, quotes)
    // Quotes around nothing are ordinary characters.
    if (found === null || found.value === '') {
      at = found?.end ?? at + 1
      continue
    }
    addFree(at)
    at = from = found.end
    if (isMessageName(found.into)) ((parsed.messages ??= {})[found.into] ??= []).push(found.value)
    else (parsed.filter[found.into] ??= []).push(found.value)
    // A space keeps the words on both sides of the operator apart.
    parsed.text += found.into === 'phrases' ? ` ${found.value} ` : ' '
  }
  addFree(query.length)
  if (parsed.free.reduce((sum, [start, end]) => sum + end - start, 0) > MAX_FREE_CHARACTERS) return prose(query)
  const values = [...Object.values(parsed.filter), ...Object.values(parsed.messages ?? {})].flat()
  const operators = values.length
  if (operators > MAX_OPERATORS) throw tooMany(operators)
  const characters = values.reduce((sum, value) => sum + value.length, 0)
  if (characters > MAX_OPERATOR_CHARACTERS) throw tooLong(characters)
  if (operators > 0 && !HAS_LETTER.test(parsed.text)) throw noWords()
  if (operators > 0) parsed.text = parsed.text.replace(/\s+/g, ' ').trim()
  return parsed
}

function prose(query: string): ParsedQuery {
  return { text: query, free: [[0, query.length]], filter: {} }
}

function isMessageName(name: Operator['into']): name is MessageName {
  return Object.values(MESSAGE_FIELDS).some((names) => (names as readonly (string | null)[]).includes(name))
}

interface Operator {
  into: FilterName | MessageName
  value: string
  end: number
}

function operatorAt(query: string, at: number, quotes: Quotes): Operator | null {
  const quoted = quotes.at(at)
  if (quoted !== null) return { into: 'phrases', ...quoted }
  if (at > 0 && !/[\s(]/.test(query[at - 1]!)) return null
  const isExclusion = query[at] === '-'
  const field = fieldAt(query, isExclusion ? at + 1 : at)
  if (field !== null) return valueOf(query, field, isExclusion, quotes)
  if (!isExclusion || BEFORE_SHORT_FORM.test(query.slice(Math.max(0, at - 10), at))) return null
  return withInto('withoutPhrases', quotes.at(at + 1) ?? wordAt(query, at + 1))
}

function valueOf(query: string, { name, end }: FieldAt, isExclusion: boolean, quotes: Quotes): Operator | null {
  const found = quotes.at(end, true) ?? (name === 'path' ? pathAt(query, end) : wordAt(query, end))
  const value = found === null ? null : valueFor(name, found.value)
  const into = { ...FIELDS, ...MESSAGE_FIELDS }[name][isExclusion ? 1 : 0]
  return value === null || into === null ? null : { into, value, end: found!.end }
}

/** Returns null for a value that the field can't have. */
function valueFor(name: Field, value: string): string | null {
  if (name === 'type') return namedMediaType(value)
  return (name === 'after' || name === 'before') && !(DATE.test(value) && Date.parse(value) > 0) ? null : value
}

interface FieldAt {
  name: Field
  /** Where the value begins. */
  end: number
}

function fieldAt(query: string, at: number): FieldAt | null {
  FIELD.lastIndex = at
  const name = FIELD.exec(query)?.[1]
  return name === undefined ? null : { name: name.toLowerCase() as Field, end: FIELD.lastIndex }
}

/** A path up to the next space. Its punctuation counts, such as the slash at the end of a folder. */
function pathAt(query: string, at: number): { value: string; end: number } | null {
  WORD.lastIndex = at
  const value = WORD.exec(query)?.[0]
  return value !== undefined && HAS_LETTER.test(value) ? { value, end: at + value.length } : null
}

function withInto(into: Operator['into'], found: { value: string; end: number } | null): Operator | null {
  return found && { into, ...found }
}

/** Finds the quoted parts of a query. */
class Quotes {
  readonly #query: string
  /**
   * Opening quotes that no later quote closes. Without them, the parser would search to the end of the query for each such quote.
   */
  readonly #unclosed = new Set<string>()

  constructor(query: string) {
    this.#query = query
  }

  at(at: number, afterColon = false): { value: string; end: number } | null {
    const query = this.#query
    const quote = query[at] ?? ''
    const closing = QUOTES.get(quote)
    if (closing === undefined || this.#unclosed.has(quote)) return null
    const before = query[at - 1] ?? ' '
    if (!afterColon && OPEN_AND_CLOSE.has(quote) && HAS_LETTER.test(before) && !isUnspaced(before)) return null
    let end = at + 1
    while (end < query.length && !closing.includes(query[end]!)) end++
    if (end >= query.length) {
      this.#unclosed.add(quote)
      return null
    }
    // The punctuation at the end of a sentence often stands inside the quotes, but is not part of the phrase.
    const value = trimEnd(query.slice(at + 1, end), END_OF_SENTENCE).trimStart()
    return { value: HAS_LETTER.test(value) ? value : '', end: end + 1 }
  }
}

function wordAt(query: string, at: number): { value: string; end: number } | null {
  WORD.lastIndex = at
  const raw = WORD.exec(query)?.[0]
  if (raw === undefined || raw.startsWith('-')) return null
  const value = trimEnd(raw.replace(PUNCTUATION_BEFORE, ''), PUNCTUATION_AFTER)
  return HAS_LETTER.test(value) ? { value, end: at + raw.length } : null
}

function noWords(): DocsearchError {
  return new DocsearchError(
    'invalid_query',
    'The query says only what to leave out or in which documents to look. Add a word to look for; `documents list --name` lists documents by name.',
  )
}

function tooMany(count: number): DocsearchError {
  return new DocsearchError(
    'invalid_query',
    `The query has ${count} quoted phrases, exclusions and filters. The limit is ${MAX_OPERATORS}.`,
  )
}

function tooLong(characters: number): DocsearchError {
  return new DocsearchError(
    'invalid_query',
    `The quoted phrases, exclusions and filters of the query have ${characters} characters. The limit is ${MAX_OPERATOR_CHARACTERS}.`,
  )
}
