import type { StoredPassage } from '../../src/core/passage.ts'
import type { PassageTable } from '../../src/index/passage-table.ts'
import { passage } from '../conformance/passage-index.ts'

/** Returns a passage as the table stores it. */
export function stored(documentId: string, n: number, change: Partial<StoredPassage> = {}): StoredPassage {
  const { terms: _, titleTerms: _t, headingTerms: _h, nameTerms: _n, language: _l, ...rest } = passage(documentId, n, change)
  return rest
}

export async function scanned(table: PassageTable, projectIds?: string[]): Promise<Map<bigint, StoredPassage>> {
  const found = new Map<bigint, StoredPassage>()
  for await (const batch of table.scan(projectIds === undefined ? undefined : { projectIds }))
    for (const { row, passage } of batch) found.set(row, passage)
  return found
}
