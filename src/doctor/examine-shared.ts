import { copiesIn } from '../blobs/objects.ts'
import { countOf } from '../core/count-of.ts'
import { type CheckName, finding, repaired } from '../core/findings.ts'
import { formatBytes } from '../core/format-bytes.ts'
import { silentLogger } from '../core/logger.ts'
import { inspectSharedIndex, newestObjectOf, unnamedFiles } from '../index/inspect-shared.ts'
import { createSharedIndexStore } from '../index/shared-index-store.ts'
import { foreignStore, ownerOf, probeStore } from '../objects/checks.ts'
import { checkPublicUrl } from './address.ts'
import { checkClock, checkModels, checkWebhooks, checkStatistics } from './common-checks.ts'
import { checkIndex } from './index-files.ts'
import { checkOriginals } from './originals.ts'
import { runChecks, type Tell } from './run-checks.ts'
import type { Check, DoctorSettings, IndexPlace, Outcome, Subset, Scene } from './scene.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { Inspection, Repairs } from '../records/inspection.ts'
import type { Records } from '../records/records.ts'

/** A document or commit may soon need a younger object. Every few hours, the writer of the index deletes what nothing needs. */
const GRACE_MS = 24 * 3_600_000
/** How many hashes to look up in the records at once. */
const AT_ONCE = 1_000

function isLeftover(modifiedAt: Date, now: Date): boolean {
  return now.getTime() - modifiedAt.getTime() > GRACE_MS
}

/** Finds originals in the object store that no document has. */
async function checkLeftoverOriginals(scene: SharedScene): Promise<void> {
  const { parts, now } = scene
  let [count, bytes, first] = [0, 0, '']
  let batch = new Map<string, { key: string; size: number }[]>()
  const compare = async () => {
    const referenced = await scene.inspection!.referenced([...batch.keys()])
    for (const [sha256, copies] of batch) {
      if (referenced.has(sha256)) continue
      first ||= copies[0]!.key
      count += copies.length
      bytes += copies.reduce((sum, { size }) => sum + size, 0)
    }
    batch = new Map()
  }
  for await (const [sha256, copies] of copiesIn(parts.objects)) {
    const old = copies.filter(({ modifiedAt }) => isLeftover(modifiedAt, now()))
    if (old.length > 0) batch.set(sha256, old)
    if (batch.size === AT_ONCE) await compare()
  }
  await compare()
  if (count === 0) return
  const found = finding(
    'leftover_files',
    `The object store has ${countOf(count, 'original')} (${formatBytes(bytes)}) that no document needs.`,
    { place: first },
  )
  if (scene.wantsFix) {
    const { documents, backups } = await scene.records()
    const deleted = await parts.blobs.sweep(
      // The order matters: a backup that begins between the two checks copies a database that does not refer to the original either.
      async (sha256) => (await documents.isBlobReferenced(sha256)) || (await backups.isRunning()),
    )
    if (deleted > 0) repaired(found, `Deleted ${countOf(deleted, 'original')} that no document needs.`)
  }
  scene.add(found)
}

/**
 * Finds files of segments in the object store that no commit names. Only the writer may delete them: after a commit whose answer was lost, its next
 * commit may name some of them again.
 */
async function checkLeftoverFiles(scene: SharedScene): Promise<void> {
  const { parts, now } = scene
  const before = new Date(now().getTime() - GRACE_MS)
  for (const { id } of await scene.inspection!.indexes()) {
    const files = await unnamedFiles({ objects: parts.objects, id }, before)
    if (files.length === 0) continue
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    scene.add(
      finding(
        'index_leftover',
        `The object store has ${countOf(files.length, 'file')} of segments (${formatBytes(bytes)}) that no search needs.`,
        { place: files[0]!.key },
      ),
    )
  }
}

export interface SharedExamineOptions {
  settings: DoctorSettings
  subset: Subset
  wantsFix: boolean
}

const CHECKS_OF_SHARED: Record<CheckName, SharedCheck> = {
  folder: skipped('Each process has its own folder, which holds only copies.'),
  space: skipped('Each process has its own disk. The health of the process says how full the disk is.'),
  database: checkTables,
  clock: checkClock,
  async originals(scene) {
    if (scene.inspection !== null) await requireOwnStore(scene.parts)
    await probeStore(scene.parts.objects)
    return alsoLeftovers(checkOriginals, checkLeftoverOriginals)(scene)
  },
  statistics: checkStatistics,
  index: alsoLeftovers(checkIndex, checkLeftoverFiles),
  page_images: skipped('Each process has its own images, and draws a damaged image again.'),
  webhooks: checkWebhooks,
  models: checkModels,
  address: checkPublicUrl,
}

/** Runs all checks on a database and an object store. Processes of the instance may use both at the same time. */
export async function examineShared(parts: SharedParts, options: SharedExamineOptions, tell: Tell): Promise<void> {
  await runChecks<SharedScene>(
    {
      ...options,
      parts,
      isAlone: false,
      leavesIndexToParent: false,
      originals: {
        verify: (expected, onRead) => parts.blobs.verify(expected, onRead),
        placeOf: (sha256) => `blobs/${sha256}`,
      },
      index: sharedIndexPlace(parts),
      webhookKey: { name: 'the key in the database', read: () => parts.webhookKey() },
      now: () => parts.now(),
      records: () => parts.records(),
      repairs: () => parts.repairs(),
    },
    CHECKS_OF_SHARED,
    tell,
  )
}

/** With the store of another instance, `--fix` would delete the originals of that instance. */
async function requireOwnStore({ objects, instanceId }: SharedParts): Promise<void> {
  const [owner, id] = [await ownerOf(objects), await instanceId()]
  if (owner !== null && owner !== id) throw foreignStore()
}

function skipped(message: string): SharedCheck {
  return async () => ({ message, isSkipped: true })
}

function alsoLeftovers(check: Check, checkLeftovers: (scene: SharedScene) => Promise<void>): SharedCheck {
  return async (scene) => {
    const outcome = await check(scene)
    if (scene.inspection !== null) await checkLeftovers(scene)
    return outcome
  }
}

/** Makes the database available to the other checks. PostgreSQL checks its own files and references. */
async function checkTables(scene: SharedScene): Promise<Outcome> {
  const { parts, add } = scene
  const version = await parts.inspection.version()
  if (version === 'newer') add(finding('database_newer', 'A newer version of docsearch has written to this database.'))
  if (version === 'older') add(finding('database_older', 'An earlier version of docsearch has written to this database.'))
  if (version !== 'same') {
    await parts.inspection.close()
    return { message: 'The database cannot be used.', isSkipped: true }
  }
  scene.inspection = parts.inspection
  const { documents, projects } = await parts.inspection.totals()
  return {
    message: `${countOf(documents, 'document')} in ${countOf(projects, 'project')}. PostgreSQL itself checks its files and references.`,
  }
}

/** The indexes in an object store. */
function sharedIndexPlace({
  address,
  objects,
  folder,
  now,
}: Pick<SharedParts, 'address' | 'objects' | 'folder' | 'now'>): IndexPlace {
  const indexes = createSharedIndexStore({
    address,
    objects,
    cacheFolder: folder,
    leases: null,
    newestVersion: null,
    onCommit: async () => {},
    log: silentLogger,
  })
  return {
    name: 'The object store',
    inspect: (index) => inspectSharedIndex({ address, objects, folder, ...index }),
    async list() {
      const old: string[] = []
      for (const id of await indexes.list()) if (isLeftover(await newestObjectOf(objects, id), now())) old.push(id)
      return old
    },
    removeFile: null,
  }
}

/** The database and the object store of an instance. */
interface SharedParts {
  inspection: Inspection
  objects: ObjectStore
  /** The address of the object store. */
  address: string
  blobs: Pick<Blobs, 'verify' | 'sweep'>
  /** A folder for copies of files while the checks read them. */
  folder: string
  /** Opens the records when the first finding is repaired. */
  records(): Promise<Records>
  repairs(): Repairs
  /** Returns the key that decrypts the secrets of webhooks. */
  webhookKey(): Promise<string | null>
  /** Returns the ID of the instance; null if it has none yet. */
  instanceId(): Promise<string | null>
  now(): Date
}

/** The parts that the checks of a database and an object store need. */
interface SharedScene extends Scene {
  parts: SharedParts
}

type SharedCheck = (scene: SharedScene) => Promise<Outcome>
