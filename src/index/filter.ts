import type { ChunkFilter } from './chunk-index.ts'
import { phrasePattern } from './phrase.ts'
import { foldName } from './schema.ts'

/** A text as SQL: only the quote is special (a backslash is not, in the dialect of LanceDB's DataFusion). */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** `column IN (…)`; an empty list matches nothing. */
export function sqlIn(column: string, values: readonly string[]): string {
  if (values.length === 0) return 'FALSE'
  if (values.length === 1) return `${column} = ${sqlText(values[0]!)}`
  return `${column} IN (${values.map(sqlText).join(', ')})`
}

/** The only place where a filter becomes SQL. Always bound to one owner; every part narrows. */
export function filterToSql(filter: ChunkFilter): string {
  const parts = [`owner_id = ${sqlText(filter.ownerId)}`]
  if (filter.projectIds !== undefined) parts.push(sqlIn('project_id', filter.projectIds))
  if (filter.documentIds !== undefined) parts.push(sqlIn('document_id', filter.documentIds))
  if (filter.mediaTypes !== undefined) parts.push(sqlIn('media_type', filter.mediaTypes))
  if (filter.tags !== undefined) parts.push(anyTag(filter.tags))
  // starts_with and not LIKE: no character of a path is a wildcard.
  if (filter.pathPrefix !== undefined) parts.push(`starts_with(path, ${sqlText(filter.pathPrefix)})`)
  if (filter.createdAfter !== undefined) parts.push(`document_created_at >= ${filter.createdAfter.getTime()}`)
  if (filter.createdBefore !== undefined) parts.push(`document_created_at < ${filter.createdBefore.getTime()}`)
  for (const part of filter.nameParts ?? []) parts.push(`contains(name_folded, ${sqlText(foldName(part))})`)
  for (const part of filter.withoutNameParts ?? []) parts.push(`NOT contains(name_folded, ${sqlText(foldName(part))})`)
  for (const phrase of filter.phrases ?? []) parts.push(`(${says(phrasePattern(phrase))})`)
  const without = filter.withoutPhrases ?? []
  if (without.length > 0) parts.push(`NOT (${says(without.map(phrasePattern).join('|'))})`)
  return parts.join(' AND ')
}

/** A phrase is looked for where its words are: they are indexed with title and headings too. */
function says(pattern: string): string {
  return ['text', 'title', 'heading'].map((column) => `regexp_like(${column}, ${sqlText(pattern)}, 'i')`).join(' OR ')
}

function anyTag(tags: readonly string[]): string {
  return tags.length === 0 ? 'FALSE' : `array_has_any(tags, [${tags.map(sqlText).join(', ')}])`
}
