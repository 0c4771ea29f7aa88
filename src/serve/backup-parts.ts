import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WEBHOOK_KEY } from '../backup/layout.ts'
import type { LoadedConfig } from '../config/load.ts'
import { withoutSecrets } from '../config/without-secrets.ts'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { denseDimensions } from '../embed/builtin.ts'
import { storedPassages, writePassages } from '../index/passages-file.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { SnapshotIndex } from '../records/records.ts'
import type { PostgresServer } from '../records/sql/postgres/server.ts'
import { copyDatabase } from '../records/sql/snapshot.ts'
import type { BackupSourceOptions } from '../services/backup-source.ts'
import { DATABASE_FILE, temporaryFolder } from './data-folder.ts'

type Parts = Pick<BackupSourceOptions, 'copyDatabase' | 'readSettings' | 'readWebhookKey' | 'temporary'>

/** What a backup reads of a data folder, whether or not a daemon runs on it. */
export function backupParts(dataDir: string, { file }: Pick<LoadedConfig, 'file'>): Parts {
  const copy = (target: string) => copyDatabase({ database: join(dataDir, DATABASE_FILE), copy: target })
  return { ...partsOf(dataDir, file, copy), readWebhookKey: () => readIfThere(join(dataDir, WEBHOOK_KEY)) }
}

/** What a backup reads of an instance whose processes share a database. The backup has the same form as that of a data folder. */
export function sharedBackupParts(options: {
  dataDir: string
  file: LoadedConfig['file']
  server: PostgresServer
  clock: Clock
  log: Logger
}): Parts {
  const { dataDir, file, server, clock, log } = options
  const copy = async (target: string) => {
    const { snapshotPostgres } = await import('../records/sql/postgres/snapshot.ts')
    return snapshotPostgres({ server, copy: target, clock, log })
  }
  return {
    ...partsOf(dataDir, file, copy),
    async readWebhookKey() {
      const { readSecret } = await import('../records/sql/postgres/secrets.ts')
      const key = await readSecret(server, 'webhooks')
      return key === null ? null : Buffer.from(`${key}\n`)
    },
  }
}

function partsOf(dataDir: string, file: string, copy: Parts['copyDatabase']): Omit<Parts, 'readWebhookKey'> {
  const temporary = temporaryFolder(dataDir)
  return {
    temporary,
    async copyDatabase(target) {
      await mkdir(temporary, { recursive: true, mode: 0o700 })
      return copy(target)
    },
    async readSettings() {
      const text = await readIfThere(file)
      return text === null ? null : withoutSecrets(text.toString())
    },
  }
}

async function readIfThere(file: string): Promise<Buffer | null> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

export function layoutOf({ embeddingModel, dimensions }: Pick<SnapshotIndex, 'embeddingModel' | 'dimensions'>) {
  return { dimensions, denseDimensions: denseDimensions(embeddingModel, dimensions) }
}

/** Writes the passages of an index that the daemon has open. */
export function passagesOfDaemon(lifecycle: Pick<Lifecycle, 'active' | 'inactive'>): BackupSourceOptions['writePassages'] {
  return async (index, file) => {
    const open = [lifecycle.active(), ...lifecycle.inactive()].find((one) => one?.record.id === index.id)
    if (open == null)
      throw new DocsearchError('unavailable', 'The index was replaced while the backup began. Take the backup again.')
    await writePassages(open.index.stored(), { file, layout: layoutOf(index) })
  }
}

/** Writes the passages of an index from its files. */
export function passagesOfFolder(dataDir: string, log: Logger): BackupSourceOptions['writePassages'] {
  return async (index, file) => {
    const layout = layoutOf(index)
    await writePassages(storedPassages({ dataDir, id: index.id, layout, log }), { file, layout })
  }
}
