import type { Migrated } from '../../contract/migrate.ts'
import { isDocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { PassageIndexStore } from '../../index/passage-index.ts'
import { copyIndex } from '../../index/copy-index.ts'
import { currentLayout, parseFingerprint } from '../../lifecycle/fingerprint.ts'
import type { SnapshotIndex } from '../../records/records.ts'
import { layoutOf } from '../backup-parts.ts'
import type { MigrateHooks } from './hooks.ts'

/** Copies the active index. An instance builds every other index, and one that could not be copied, from its records. */
export async function copyActiveIndex(options: {
  index: SnapshotIndex | null
  from: PassageIndexStore
  to: PassageIndexStore
  hooks: Pick<MigrateHooks, 'signal' | 'onPassages'>
  log: Logger
}): Promise<Migrated['index']> {
  const { index, from, to, hooks } = options
  if (index === null) return { state: 'rebuilt', reason: 'the instance had no index' }
  if (parseFingerprint(index.fingerprint).layout !== currentLayout())
    return { state: 'rebuilt', reason: 'another version of docsearch made the index' }
  const place = { id: index.id, ...layoutOf(index) }
  try {
    const source = await from.open(place)
    try {
      const target = await to.open(place)
      try {
        return { state: 'copied', passages: await copyIndex({ from: source, to: target, ...hooks }) }
      } finally {
        await target.close()
      }
    } finally {
      await source.close()
    }
  } catch (error) {
    if (!isDocsearchError(error, 'index_corrupt')) throw error
    return { state: 'rebuilt', reason: 'the index is damaged' }
  }
}
