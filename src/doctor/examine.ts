import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { WEBHOOK_KEY } from '../backup/layout.ts'
import { verifyBlob } from '../blobs/verify.ts'
import { systemClock } from '../core/clock.ts'
import type { CheckName } from '../core/findings.ts'
import { silentLogger } from '../core/logger.ts'
import { indexesWithFiles, inspectIndex } from '../index/inspect.ts'
import type { Repairs } from '../records/inspection.ts'
import type { Records } from '../records/records.ts'
import { openRecords } from '../records/sql/open.ts'
import { openRepairs } from '../records/sql/repair.ts'
import { checkPublicUrl } from './address.ts'
import { checkClock } from './clock.ts'
import { checkDatabase, DATABASE } from './database.ts'
import { checkFolder } from './folder.ts'
import { checkIndex } from './index-files.ts'
import { checkModels } from './models.ts'
import { checkOriginals } from './originals.ts'
import { checkPageImages } from './page-images.ts'
import { runChecks, type Tell } from './run-checks.ts'
import type { DoctorSettings, FolderCheck, FolderScene, IndexPlace, Subset } from './scene.ts'
import { checkSpace } from './space.ts'
import { checkStatistics } from './statistics.ts'
import { checkWebhooks } from './webhooks.ts'

export interface ExamineOptions {
  dataDir: string
  settings: DoctorSettings
  subset: Subset
  wantsFix: boolean
  isAlone: boolean
  leavesIndexToParent: boolean
}

const CHECKS_OF_FOLDER: Record<CheckName, FolderCheck> = {
  folder: checkFolder,
  space: checkSpace,
  clock: checkClock,
  database: checkDatabase,
  originals: checkOriginals,
  statistics: checkStatistics,
  index: checkIndex,
  page_images: checkPageImages,
  webhooks: checkWebhooks,
  models: checkModels,
  address: checkPublicUrl,
}

/** Runs all checks on a data folder. */
export async function examine(options: ExamineOptions, tell: Tell): Promise<void> {
  const { dataDir, isAlone } = options
  const opened = new Opened(dataDir)
  try {
    await runChecks<FolderScene>(
      {
        ...options,
        originals: {
          verify: (expected, onRead) => verifyBlob(dataDir, expected, onRead),
          placeOf: (sha256) => join('blobs', sha256.slice(0, 2), sha256.slice(2)),
        },
        index: indexIn(dataDir, isAlone),
        webhookKey: { name: WEBHOOK_KEY, read: () => readIfThere(join(dataDir, WEBHOOK_KEY)) },
        now: () => systemClock.now(),
        records: () => opened.records(),
        repairs: () => opened.repairs(),
      },
      CHECKS_OF_FOLDER,
      tell,
    )
  } finally {
    await opened.close()
  }
}

function indexIn(dataDir: string, isAlone: boolean): IndexPlace {
  return {
    name: 'The data folder',
    inspect: (index) => inspectIndex({ dataDir, ...index }),
    // The daemon may be making or deleting an index right now.
    list: async () => (isAlone ? indexesWithFiles(dataDir) : []),
    removeFile: (file) => rm(join(dataDir, file), { recursive: true, force: true }),
  }
}

async function readIfThere(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Opens what repairs need when the first finding is repaired. */
class Opened {
  readonly #file: string
  #records: Promise<Records> | null = null
  #repairs: Repairs | null = null

  constructor(dataDir: string) {
    this.#file = join(dataDir, DATABASE)
  }

  records(): Promise<Records> {
    return (this.#records ??= openRecords({ file: this.#file, clock: systemClock, log: silentLogger }))
  }

  repairs(): Repairs {
    return (this.#repairs ??= openRepairs(this.#file, systemClock.now()))
  }

  async close(): Promise<void> {
    await this.#repairs?.close()
    await (await this.#records)?.close()
  }
}
