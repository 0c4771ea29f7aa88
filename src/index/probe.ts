import { MatchQuery } from '@lancedb/lancedb'
import type { Table } from '@lancedb/lancedb'

/**
 * Reads something from everything a search would read: every data file's ids, one row in full, the indexes of words, filters and
 * vectors. Throws what LanceDB throws when a file is cut off or empty. Costs milliseconds: no column but the ids is read whole.
 */
export async function probe(table: Table): Promise<void> {
  await table.query().select(['id', 'version']).toArrow()
  const [row] = (await table.query().where('vector IS NOT NULL').limit(1).toArray()) as Row[]
  if (row === undefined) {
    await table.query().fullTextSearch(new MatchQuery('x', 'terms')).select(['id', '_score']).limit(1).toArrow()
    return
  }
  const filter = `owner_id = '' OR project_id = '' OR document_id = '' OR id = '' OR array_has_any(tags, ['']) OR owner_id <> ''`
  const term = row.terms.split(' ')[0] || 'x'
  await table.query().fullTextSearch(new MatchQuery(term, 'terms')).where(filter).select(['id', '_score']).limit(1).toArrow()
  await table.vectorSearch(Float32Array.from(row.vector)).distanceType('cosine').select(['id', '_distance']).limit(1).toArrow()
}

interface Row {
  terms: string
  vector: Iterable<number>
}

/** Chunks by document and version, one batch of ids at a time. */
export async function readInventory(table: Table): Promise<Map<string, { version: number; chunks: number }>> {
  const found = new Map<string, { version: number; chunks: number }>()
  for await (const batch of table.query().select(['document_id', 'version'])) {
    const ids = batch.getChild('document_id')!
    const versions = batch.getChild('version')!
    for (let i = 0; i < batch.numRows; i++) {
      const id = ids.get(i) as string
      const version = versions.get(i) as number
      const entry = found.get(id)
      if (entry === undefined) found.set(id, { version, chunks: 1 })
      // Two versions of a document at once should not be; the count then matches neither, and recovery puts it right.
      else found.set(id, { version: Math.max(entry.version, version), chunks: entry.chunks + 1 })
    }
  }
  return found
}
