import { MatchQuery } from '@lancedb/lancedb'
import type { Table } from '@lancedb/lancedb'
import { sqlText } from './filter.ts'

/**
 * Reads something from every file that a search or a commit would read: the manifests, each data file's ids, one row in full, the
 * indexes of words, filters and vectors. Throws what LanceDB throws when one is cut off or empty. No column but the ids is read whole.
 */
export async function probe(table: Table): Promise<void> {
  // Cleaning up reads the older manifests too.
  await table.listVersions()
  for await (const _ of table.query().select(['id', 'version']));
  const [row] = (await table.query().where('vector IS NOT NULL').limit(1).toArray()) as Row[]
  if (row === undefined) {
    await matching(table, 'x', 'TRUE')
    return
  }
  const { id, document_id, owner_id, project_id, terms, vector } = row
  const keys = Object.entries({ id, document_id, owner_id, project_id }).map(([column, value]) => `${column} = ${sqlText(value)}`)
  await matching(table, terms.split(' ')[0] || 'x', [...keys, "array_has_any(tags, [''])"].join(' OR '))
  await table.vectorSearch(Float32Array.from(vector)).distanceType('cosine').select(['id', '_distance']).limit(1).toArrow()
}

/**
 * For health: the table and its index of words answer. In the same time however much is there, so rows that are in no index yet,
 * which a search would read one by one, are left out.
 */
export async function answers(table: Table): Promise<void> {
  await table.query().select(['id']).limit(1).toArrow()
  await table.query().fullTextSearch(new MatchQuery('x', 'terms')).fastSearch().select(['id', '_score']).limit(1).toArrow()
}

async function matching(table: Table, term: string, where: string): Promise<void> {
  await table.query().fullTextSearch(new MatchQuery(term, 'terms')).where(where).select(['id', '_score']).limit(1).toArrow()
}

interface Row extends Record<'id' | 'document_id' | 'owner_id' | 'project_id' | 'terms', string> {
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
