import { join } from 'node:path'
import { CHECKS, finding, type CheckName, type CheckResult, type Finding } from '../core/findings.ts'
import { systemClock } from '../core/clock.ts'
import { silentLogger } from '../core/logger.ts'
import type { Repairs } from '../records/inspection.ts'
import type { Records } from '../records/records.ts'
import { openRecords } from '../records/sql/open.ts'
import { openRepairs } from '../records/sql/repair.ts'
import { checkAddress } from './address.ts'
import { checkClock } from './clock.ts'
import { checkDatabase, DATABASE } from './database.ts'
import { checkFolder } from './folder.ts'
import { checkIndex } from './index-files.ts'
import { checkModels } from './models.ts'
import { checkOriginals } from './originals.ts'
import { checkPageImages } from './page-images.ts'
import type { Check, DoctorSettings, Scene, Subset } from './scene.ts'
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

/** What an examination tells while it runs. */
export type ExamineEvent =
  | { type: 'progress'; check: CheckName; done: number; total: number | null; unit: 'bytes' | 'files' }
  | { type: 'finding'; finding: Finding }
  | { type: 'check'; check: CheckResult }

const RUN: Record<CheckName, Check> = {
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
  async address({ settings: { publicUrl }, now, add }) {
    if (publicUrl === null) return { message: 'No daemon runs, or it has no public URL.', isSkipped: true }
    for (const found of await checkAddress(publicUrl, { now: now() })) add(found)
    return { message: publicUrl }
  },
}

/** Runs all checks on a data folder, one after another. A check that fails becomes a finding, and the others go on. */
export async function examine(options: ExamineOptions, tell: (event: ExamineEvent) => void): Promise<void> {
  const opened = new Opened(options.dataDir)
  let found = 0
  let current: CheckName = CHECKS[0]
  const scene: Scene = {
    ...options,
    inspection: null,
    now: () => systemClock.now(),
    add(one) {
      found++
      tell({ type: 'finding', finding: one })
    },
    progress: (done, total, unit) => tell({ type: 'progress', check: current, done, total, unit }),
    records: () => opened.records(),
    repairs: () => opened.repairs(),
  }
  const run = async (name: CheckName, work: Check): Promise<void> => {
    current = name
    const before = found
    try {
      const { message, isSkipped = false } = await work(scene)
      const status = found > before ? 'findings' : isSkipped ? 'skipped' : 'ok'
      tell({ type: 'check', check: { name, status, message } })
    } catch (error) {
      scene.add(finding('check_failed', `The check of ${name.replace('_', ' ')} failed: ${(error as Error).message}`))
      tell({ type: 'check', check: { name, status: 'findings', message: 'The check failed.' } })
    }
  }
  try {
    for (const name of CHECKS) await run(name, RUN[name])
  } finally {
    scene.inspection?.close()
    await opened.close()
  }
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
    this.#repairs?.close()
    await (await this.#records)?.close()
  }
}
