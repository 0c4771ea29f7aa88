import { conditionsOf } from '../../core/search-filter.ts'
import { type PhraseFilter, phrasePatterns } from '../../text/phrase.ts'
import { COLUMNS } from './columns.ts'

/** Returns a text as a SQL literal. Only the quote is special; a backslash is not, in the dialect of LanceDB's DataFusion. */
function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Returns `column IN (…)`. An empty list matches nothing. */
export function sqlIn(column: string, values: readonly string[]): string {
  if (values.length === 0) return 'FALSE'
  return `${column} IN (${values.map(sqlText).join(', ')})`
}

/** Returns the condition that a row has each phrase in one of its texts, and none of the excluded phrases. */
export function phrasesToSql({ phrases, withoutPhrases }: PhraseFilter): string {
  const terms = conditionsOf({ phrases, withoutPhrases }).flatMap(({ condition, fields, value }) => {
    const columns = fields.map((field) => COLUMNS.find((column) => column.field === field)!)
    if (condition === 'hasAllPhrases') return hasEach(columns, value)
    if (condition === 'hasNoPhrase' && value.length > 0) return [`NOT (${hasAny(columns, value).join(' AND ')})`]
    return []
  })
  return terms.length === 0 ? 'TRUE' : terms.join(' AND ')
}

/** Returns two conditions for AND. LanceDB tries the second, slower pattern only on rows that match the first. */
function hasAny(columns: readonly { name: string }[], phrases: readonly string[]): [anywhere: string, wholeWords: string] {
  const { anywhere, wholeWords } = phrasePatterns(phrases)
  return [matches(columns, anywhere), matches(columns, wholeWords)]
}

/** Returns the conditions of all phrases, the fast ones first. */
function hasEach(columns: readonly { name: string }[], phrases: readonly string[]): string[] {
  const terms = phrases.map((phrase) => hasAny(columns, [phrase]))
  return [...terms.map(([anywhere]) => anywhere), ...terms.map(([, wholeWords]) => wholeWords)]
}

function matches(columns: readonly { name: string }[], pattern: string): string {
  return `(${columns.map(({ name }) => `regexp_like(${name}, ${sqlText(pattern)}, 'i')`).join(' OR ')})`
}
