import { readdir, readFile, rm, statfs, access, chmod, constants, lstat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { WEBHOOK_KEY } from '../backup/layout.ts'
import { verifyBlob } from '../blobs/verify.ts'
import { systemClock } from '../core/clock.ts'
import { countOf } from '../core/count-of.ts'
import { type CheckName, finding, repaired } from '../core/findings.ts'
import { formatBytes } from '../core/format-bytes.ts'
import { silentLogger } from '../core/logger.ts'
import { networkFileSystem } from '../core/network-file-system.ts'
import { indexesWithFiles, inspectIndex } from '../index/inspect.ts'
import { isIntactPng } from '../parse/pdf/image/png.ts'
import type { Repairs } from '../records/inspection.ts'
import type { Records } from '../records/records.ts'
import { openRecords } from '../records/sql/open.ts'
import { openRepairs } from '../records/sql/repair.ts'
import { checkPublicUrl } from './address.ts'
import { checkClock, checkModels, checkStatistics, checkWebhooks } from './common-checks.ts'
import { checkDatabase, DATABASE } from './database.ts'
import { checkIndex } from './index-files.ts'
import { checkOriginals } from './originals.ts'
import { runChecks, type Tell } from './run-checks.ts'
import type { DoctorSettings, FolderCheck, FolderScene, IndexPlace, Subset } from './scene.ts'

const NAMED = 5
/** Folders whose files no start of a daemon keeps. */
const TEMPORARY = ['tmp', 'incoming', 'ocr']
/** Unfinished files: docsearch renames them when they are complete. */
const UNFINISHED = /^(?:webhook\.key\.new|daemon\.log\.new|docsearch\.db\.before-.*\.unfinished)$/
/** Operators write this file, and it contains no secret, so its permissions don't matter. */
const CONFIG = 'config.json'

/** Looks at the settings, and at the permissions and owners of all files. */
const checkFolder: FolderCheck = async (scene) => {
  const { dataDir, settings, add, progress } = scene
  for (const problem of settings.problems)
    add(finding('config_invalid', `The settings are not valid: ${problem}.`, { place: CONFIG }))
  const folder = await lstat(dataDir)
  const open: string[] = []
  const foreign: string[] = []
  const leftovers: string[] = []
  let files = 0
  for await (const path of walk(dataDir)) {
    const name = relative(dataDir, path)
    // A daemon may delete a file meanwhile.
    const stats = await lstat(path).catch(() => null)
    if (stats === null || stats.isSymbolicLink() || stats.isSocket()) continue
    progress(++files, null, 'files')
    if (process.platform !== 'win32') {
      if ((stats.mode & 0o077) !== 0 && name !== CONFIG) open.push(path)
      const isUsable = await access(path, constants.R_OK | constants.W_OK).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      )
      if (stats.uid !== folder.uid || !isUsable) foreign.push(path)
    }
    if (scene.isAlone && isLeftover(name)) leftovers.push(path)
  }
  await reportOpen(scene, open)
  if (foreign.length > 0)
    add(
      finding(
        'owner_differs',
        `${named(scene, foreign)} ${foreign.length === 1 ? 'belongs' : 'belong'} to another user, or cannot be read and written.`,
        {
          place: relative(dataDir, foreign[0]!),
        },
      ),
    )
  await reportLeftovers(scene, leftovers)
  return { message: `${countOf(files, 'file')} and ${settings.problems.length === 0 ? 'the settings' : 'invalid settings'}.` }
}

async function reportOpen(scene: FolderScene, open: readonly string[]): Promise<void> {
  if (open.length === 0) return
  const found = finding('permissions_open', `Other users of the machine can read or write ${named(scene, open)}.`, {
    place: relative(scene.dataDir, open[0]!) || '.',
  })
  if (scene.wantsFix) {
    for (const path of open) {
      // A daemon may have deleted it.
      const stats = await lstat(path).catch(() => null)
      if (stats !== null) await chmod(path, stats.mode & 0o7700)
    }
    repaired(found, 'Removed the permissions of group and others.')
  }
  scene.add(found)
}

async function reportLeftovers(scene: FolderScene, leftovers: readonly string[]): Promise<void> {
  if (leftovers.length === 0) return
  const found = finding('leftover_files', `An earlier run left ${named(scene, leftovers)}.`, {
    place: relative(scene.dataDir, leftovers[0]!),
  })
  if (scene.wantsFix) {
    for (const path of leftovers) await rm(path, { recursive: true, force: true })
    repaired(found, `Deleted ${countOf(leftovers.length, 'temporary file')}.`)
  }
  scene.add(found)
}

function named({ dataDir }: FolderScene, paths: readonly string[]): string {
  const names = paths.slice(0, NAMED).map((path) => relative(dataDir, path) || 'the data folder')
  return `${names.join(', ')}${paths.length > NAMED ? ` and ${paths.length - NAMED} more` : ''}`
}

function isLeftover(name: string): boolean {
  const [first = '', ...rest] = name.split(/[\\/]/)
  if (TEMPORARY.includes(first)) return rest.length === 1
  if (rest.length === 0) return UNFINISHED.test(first)
  return (first === 'page-images' && name.endsWith('.tmp')) || (first === 'segments' && name.endsWith('manifest.json.new'))
}

/** Yields a folder and everything in it. */
async function* walk(folder: string): AsyncGenerator<string> {
  yield folder
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(path)
    else yield path
  }
}

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
  const { bavail, bsize, type } = await statfs(dataDir)
  const free = bavail * bsize
  const message = `The disk of the data folder has ${formatBytes(free)} free.`
  if (free < FULL_BYTES) add(finding('disk_full', message))
  else if (free < LOW_BYTES) add(finding('disk_low', message))
  const network = networkFileSystem(type)
  if (network !== null) add(finding('disk_remote', `The data folder is on a network file system (${network}).`))
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
