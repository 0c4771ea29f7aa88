import { readdir, readFile, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { WEBHOOK_KEY } from '../backup/layout.ts'
import { verifyBlob } from '../blobs/verify.ts'
import { systemClock } from '../core/clock.ts'
import { countOf } from '../core/count-of.ts'
import { type CheckName, finding, repaired } from '../core/findings.ts'
import { formatBytes } from '../core/format-bytes.ts'
import { silentLogger } from '../core/logger.ts'
import { indexesWithFiles, inspectIndex } from '../index/inspect.ts'
import { isIntactPng } from '../parse/pdf/image/png.ts'
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
import { runChecks, type Tell } from './run-checks.ts'
import type { DoctorSettings, FolderCheck, FolderScene, IndexPlace, Subset } from './scene.ts'
import { checkStatistics } from './statistics.ts'
import { checkWebhooks } from './webhooks.ts'

const FOLDER = 'page-images'

/** Reads the cached images of pages. */
const checkPageImages: FolderCheck = async ({ dataDir, wantsFix, progress, add }) => {
  const names = (await readdir(join(dataDir, FOLDER)).catch(() => [])).filter((name) => name.endsWith('.png'))
  for (const [i, name] of names.entries()) {
    progress(i, names.length, 'files')
    const place = join(FOLDER, name)
    // The daemon may have deleted it.
    const bytes = await readFile(join(dataDir, place)).catch(() => null)
    if (bytes === null || isIntactPng(bytes)) continue
    const found = finding('page_image_damaged', `${place} is damaged.`, { place })
    if (wantsFix) {
      await rm(join(dataDir, place), { force: true })
      repaired(found, 'Deleted the cached image.')
    }
    add(found)
  }
  return { message: `${countOf(names.length, 'cached image')} of pages.` }
}

/** Below this, health is degraded too: it is enough for the largest request and its index. */
const LOW_BYTES = 500_000_000
const FULL_BYTES = 20_000_000

const checkSpace: FolderCheck = async ({ dataDir, add }) => {
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  const message = `The disk of the data folder has ${formatBytes(free)} free.`
  if (free < FULL_BYTES) add(finding('disk_full', message))
  else if (free < LOW_BYTES) add(finding('disk_low', message))
  return { message }
}

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
