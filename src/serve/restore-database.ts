import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE, VECTORS } from '../backup/layout.ts'
import type { BackupManifest } from '../backup/manifest.ts'
import type { RestoredIndex } from '../contract/backup.ts'
import { callAs } from '../core/caller.ts'
import { systemClock } from '../core/clock.ts'
import { syncFile } from '../core/sync.ts'
import { restorePassages, type RestoreHooks } from '../index/passages-file.ts'
import { currentLayout, parseFingerprint } from '../lifecycle/fingerprint.ts'
import type { IndexRecord, Records } from '../records/records.ts'
import { openRecords } from '../records/sql/open.ts'
import { layoutOf } from './backup-parts.ts'
import { createLogger } from './logging.ts'
import { keepTemporaryFilesIn, type ServeOutput } from './main.ts'

/** Brings a restored database to this version, restores its index, and records the restore in it. */
export async function restoreDatabase(
  staging: string,
  temporary: string,
  { manifest, ...hooks }: { manifest: BackupManifest } & RestoreHooks,
  { stderr }: ServeOutput,
): Promise<RestoredIndex> {
  const log = createLogger('error', stderr)
  const file = join(staging, DATABASE)
  const records = await openRecords({ file, clock: systemClock, log })
  try {
    const owner = await records.users.owner()
    const credential = { kind: 'command_line', id: null, name: null, lastFour: null } as const
    return await callAs({ userId: owner?.id ?? null, address: null, credential }, async () => {
      const index = await restoreIndex(records, staging, temporary)
      const { created_at: createdAt, documents } = manifest
      await records.backups.restored({ created_at: createdAt, documents, index: index.state })
      return index
    })
  } finally {
    await records.close()
    await syncFile(file)
  }

  async function restoreIndex(records: Records, staging: string, temporary: string): Promise<RestoredIndex> {
    const active = await records.indexes.active()
    const reason = whyNot(active)
    if (reason !== null || active === null) {
      await records.indexes.clear()
      return { state: 'rebuilt', reason: reason ?? '' }
    }
    // The backup has only the active index. An index that was being built begins again.
    for (const { id } of await records.indexes.all()) if (id !== active.id) await records.indexes.drop(id)
    keepTemporaryFilesIn(temporary)
    const place = { dataDir: staging, id: active.id, layout: layoutOf(active), log }
    const passages = await restorePassages(join(staging, VECTORS), place, hooks)
    return { state: 'restored', passages }
  }

  /** Returns why the index can't be restored, or null. */
  function whyNot(active: IndexRecord | null): string | null {
    if (!existsSync(join(staging, VECTORS))) return 'the backup was taken without --with-vectors'
    if (active === null) return 'the instance had no index'
    if (parseFingerprint(active.fingerprint).layout !== currentLayout()) return 'another version of docsearch made the index'
    return null
  }
}
