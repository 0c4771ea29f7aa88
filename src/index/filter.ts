import { type Condition, conditionsOf, type SearchFilter } from '../core/search-filter.ts'
import { phrasePatterns } from './phrase.ts'
import { filterColumn } from './passages/columns.ts'

/** Returns a text as a SQL literal. Only the quote is special; a backslash is not, in the dialect of LanceDB's DataFusion. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Returns `column IN (…)`. An empty list matches nothing. */
export function sqlIn(column: string, values: readonly string[]): string {
  if (values.length === 0) return 'FALSE'
  if (values.length === 1) return `${column} = ${sqlText(values[0]!)}`
  return `${column} IN (${values.map(sqlText).join(', ')})`
}

/** Returns a filter as SQL. It is always bound to one owner, and every condition narrows it. */
export function filterToSql(filter: SearchFilter): string {
  return [`owner_id = ${sqlText(filter.ownerId)}`, ...conditionsOf(filter).flatMap(conditionToSql)].join(' AND ')
}

/** Returns the terms of a condition. All of them must hold. */
function conditionToSql({ condition, fields, value }: Condition): string[] {
  const columns = fields.map(filterColumn)
  const { name, fold } = columns[0]!
  const contains = (part: string) => `contains(${name}, ${sqlText(fold(part))})`
  switch (condition) {
    case 'isOneOf':
      return [sqlIn(name, value)]
    case 'hasAnyOf':
      return [value.length === 0 ? 'FALSE' : `array_has_any(${name}, [${value.map(sqlText).join(', ')}])`]
    case 'startsWith':
      // starts_with and not LIKE, which has wildcards.
      return [`starts_with(${name}, ${sqlText(fold(value))})`]
    case 'isAtOrAfter':
      return [`${name} >= ${value.getTime()}`]
    case 'isBefore':
      return [`${name} < ${value.getTime()}`]
    case 'containsAll':
      return value.map(contains)
    case 'containsNone':
      return value.map((part) => `NOT ${contains(part)}`)
    case 'hasAllPhrases':
      return hasEach(columns, value)
    case 'hasNoPhrase':
      return value.length === 0 ? [] : [`NOT (${hasAny(columns, value).join(' AND ')})`]
  }
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
