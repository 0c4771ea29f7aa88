import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import { fingerprintOf, parseFingerprint } from './fingerprint.ts'
import type { OpenIndexes } from './open-indexes.ts'

/**
 * At start: opens the retired indexes and drops every index that can't be used any more, row and files. An index that was being built for the
 * chosen embedder stays, also while that embedder is out of reach.
 */
export async function dropLeftovers(
  { records, openIndexes, log }: { records: Pick<Records, 'indexes'>; openIndexes: OpenIndexes; log: Logger },
  chosen: string | null,
): Promise<void> {
  const { active, building } = openIndexes
  const { layout } = fingerprintOf({ fingerprint: '' })
  const wanted = chosen ?? active?.record.embeddingModel
  for (const record of await records.indexes.all()) {
    const { id, state, embeddingModel, fingerprint } = record
    if (state === 'active' || building?.record.id === id) continue
    const isCurrent = parseFingerprint(fingerprint).layout === layout
    const index = isCurrent && state === 'retired' ? await openIndexes.open(record) : null
    if (index !== null) openIndexes.retire({ record, index, ownEmbedder: null })
    else if (!isCurrent || state === 'retired' || embeddingModel !== wanted) {
      log.info(
        { embedder: embeddingModel },
        'dropping an index that is damaged, of another version of docsearch, or no longer wanted',
      )
      await records.indexes.drop(id)
    }
  }
  await openIndexes.dropFilesWithoutRow()
}
