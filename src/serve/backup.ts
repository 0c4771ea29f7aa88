import { readBlobs } from '../blobs/files.ts'
import { loadConfig } from '../config/load.ts'
import { callAs } from '../core/caller.ts'
import { systemClock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { openRecords } from '../records/sql/open.ts'
import { BackupSource, type BackupOptions, type RunningBackup } from '../services/backup-source.ts'
import { backupParts, passagesOfFolder } from './backup-parts.ts'
import { isDataFolder, keepFilesPrivate, makeUsable } from './data-folder.ts'
import { join } from 'node:path'
import { createLogger } from './logging.ts'
import type { ServeOutput } from './main.ts'
import { refuseMoved } from './migrate/mark.ts'
import { offlineUpgrade } from './offline-upgrade.ts'
import { requireDataFolder } from './shared-instance.ts'
import { VERSION } from './version.ts'

export interface LocalBackup {
  start(options: BackupOptions): Promise<RunningBackup>
  close(): Promise<void>
}

/** Backs up a data folder, whether or not a daemon runs on it. Throws `data_unusable`, `data_newer`, `database_corrupt`, `invalid_configuration`. */
export async function openLocalBackup(flags: { data: string }, output: ServeOutput): Promise<LocalBackup> {
  keepFilesPrivate()
  const loaded = await loadConfig(flags, output.env)
  const { config } = loaded
  requireDataFolder(config)
  const dir = config.dataDir
  if (!isDataFolder(dir))
    throw new DocsearchError('data_unusable', `${dir} is not a docsearch data folder. Name the data folder with --data.`)
  await makeUsable(dir)
  await refuseMoved(dir)
  const log = createLogger(config.logLevel, output.stderr)
  const isAudited = config.auditDays > 0
  const upgrade = offlineUpgrade(dir, output)
  const records = await openRecords({ file: join(dir, 'docsearch.db'), clock: systemClock, log, isAudited, upgrade })
  const source = new BackupSource({
    ...backupParts(dir, loaded),
    writePassages: passagesOfFolder(dir, log),
    records,
    blobs: readBlobs(dir),
    version: VERSION,
    clock: systemClock,
    log,
  })
  const owner = await records.users.owner()
  const caller = {
    userId: owner?.id ?? null,
    address: null,
    credential: { kind: 'command_line', id: null, name: null, lastFour: null } as const,
  }
  const running = new Set<RunningBackup>()
  return {
    async start(options) {
      const backup = await callAs(caller, () => source.start('command_line', options))
      running.add(backup)
      return backup
    },
    async close() {
      for (const { stream, done } of running) {
        stream.destroy()
        // The caller already has this error.
        await done.catch(() => {})
      }
      await records.close()
    },
  }
}
