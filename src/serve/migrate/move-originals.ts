import { copyOriginals, type CopyOptions } from '../../blobs/copy.ts'
import type { Migrated } from '../../contract/migrate.ts'
import type { Snapshot } from '../../records/snapshot.ts'
import type { MigrateHooks } from './hooks.ts'

/** Copies the originals of all documents, also of those in the trash. */
export async function moveOriginals(options: {
  from: CopyOptions['from']
  to: CopyOptions['to']
  snapshot: Pick<Snapshot, 'originals'>
  hooks: Pick<MigrateHooks, 'signal' | 'onOriginals'>
}): Promise<Pick<Migrated, 'originals' | 'bytes' | 'missing'>> {
  const { from, to, hooks } = options
  const originals = options.snapshot.originals.map(({ sha256, size }) => ({ sha256, sizeBytes: size }))
  const total = originals.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  let [count, bytes] = [0, 0]
  const onCopied: CopyOptions['onCopied'] = ({ sizeBytes }) => {
    count += 1
    bytes += sizeBytes
    hooks.onOriginals(bytes, total)
  }
  const missing = await copyOriginals(originals, { from, to, signal: hooks.signal, onCopied })
  return { originals: count, bytes, missing }
}
