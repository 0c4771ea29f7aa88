import { countOf } from '../core/count-of.ts'
import { finding, type Finding, type FindingCode, repaired } from '../core/findings.ts'
import { denseDimensions } from '../embed/builtin.ts'
import type { DamagedIndexFile } from '../index/passage-index.ts'
import type { IndexDamage, IndexInspection } from '../index/inspect.ts'
import type { InspectedIndex, Inspection } from '../records/inspection.ts'
import { namesOf } from './originals.ts'
import { NO_DATABASE, type Check, type Scene } from './scene.ts'

/** A report names this many documents one by one, and counts the others. */
const MAX_NAMED = 100
/** Follows the name of a file in a message. */
const CHANGED = 'differs from its checksum'

/** Reads every file of the search index, and compares the active index with the records. */
export const checkIndex: Check = async (scene) => {
  const { inspection, add } = scene
  if (inspection === null) return NO_DATABASE
  const indexes = await inspection.indexes()
  const active = indexes.find(({ state }) => state === 'active')
  if (active === undefined && (await inspection.totals()).ready > 0)
    add(finding('index_missing', 'There is no search index, but documents are ready.'))
  let [passages, unlisted] = [0, 0]
  for (const index of indexes) {
    const checked = await checkOne(scene, index)
    passages += checked.passages
    unlisted += checked.unlistedFiles
  }
  const stored = await scene.index.list()
  const known = new Set([...indexes, ...(await inspection.indexes())].map(({ id }) => id))
  for (const id of stored)
    if (!known.has(id))
      add(finding('index_leftover', `${scene.index.name} has files of the index ${id}, which is not in use.`, { place: id }))
  const have = unlisted === 1 ? 'has' : 'have'
  return {
    message: `${countOf(indexes.length, 'index', 'indexes')} with ${countOf(passages, 'passage')}.${unlisted > 0 ? ` ${countOf(unlisted, 'file')} ${have} no checksum yet.` : ''}`,
  }
}

/** Returns how many passages the index has, and how many of its files could not be compared with a checksum. */
async function checkOne(scene: Scene, index: InspectedIndex): Promise<{ passages: number; unlistedFiles: number }> {
  const { inspection, progress } = scene
  const before = await snapshot(inspection!, index)
  progress(0, null, 'files')
  const { id, dimensions, embeddingModel } = index
  const layout = { dimensions, denseDimensions: denseDimensions(embeddingModel, dimensions) }
  const inspected = await scene.index.inspect({ id, layout })
  // No search uses an index that is not active, so repairing single documents in it is not worthwhile.
  const isRepairable = (file: DamagedIndexFile) => index.state === 'active' && file.documents !== null
  const [repairable, others] = [
    inspected.damagedFiles.filter(isRepairable),
    inspected.damagedFiles.filter((file) => !isRepairable(file)),
  ]
  const tables = inspected.damage.filter(({ kind }) => kind === 'table')
  for (const { file } of others) tables.push({ kind: 'table', file, message: CHANGED })
  const segments = inspected.damage.filter(({ kind }) => kind === 'segment')
  // Repairing the files of a damaged index also brings back the missing passages.
  const isComparable = tables.length === 0 && (segments.length === 0 || scene.index.removeFile === null)
  const isCompared = isComparable && index.state === 'active'
  for (const damage of tables) await reportTable(scene, index, damage)
  for (const damage of segments) await reportSegment(scene, damage, isCompared)
  for (const file of repairable) await reportFile(scene, file)
  // A daemon may be adding a line right now.
  if (scene.isAlone) for (const list of inspected.damagedChecksums) await reportChecksums(scene, list)
  if (isCompared) await compare(scene, index, { inspected, before })
  const passages = [...inspected.contents.values()].reduce((sum, { chunks }) => sum + chunks, 0)
  return { passages, unlistedFiles: inspected.unlistedFiles }
}

interface Snapshot {
  expected: Awaited<ReturnType<Inspection['expected']>>
  /** The documents whose passages belong in the index. */
  wanted: ReadonlySet<string>
}

async function snapshot(inspection: Inspection, index: InspectedIndex): Promise<Snapshot> {
  return { expected: await inspection.expected(index), wanted: await inspection.wantedIds() }
}

/** A daemon may be changing the index, so a fault counts only if it exists before and after the index was read. */
async function compare(
  scene: Scene,
  index: InspectedIndex,
  { inspected, before }: { inspected: IndexInspection; before: Snapshot },
): Promise<void> {
  const { contents, damagedDocuments, damagedFiles } = inspected
  const reported = new Set(damagedFiles.flatMap(({ documents }) => documents ?? []))
  const { expected: after } = await snapshot(scene.inspection!, index)
  const isStable = (id: string) => before.expected.has(id) && after.get(id)?.version === before.expected.get(id)!.version
  const missing = [...after].flatMap(([id, { version, chunks }]) => {
    const found = contents.get(id)
    const isThere = found === undefined ? chunks === 0 : found.version === version && found.chunks === chunks
    return !isThere && isStable(id) ? [id] : []
  })
  const damaged = damagedDocuments.filter((id) => isStable(id) && !reported.has(id))
  await reportDocuments(scene, new Set([...missing, ...damaged]))
  const { unwanted, waiting } = await scene.inspection!.unwanted([...contents.keys()])
  const left = unwanted.filter((id) => !before.wanted.has(id) && !waiting.includes(id))
  if (left.length === 0) return
  const found = finding(
    'passages_left',
    `The index has passages of ${countOf(left.length, 'document')} that it should no longer have.`,
  )
  if (scene.wantsFix) {
    await scene.repairs().markForDeletion(left)
    repaired(found, 'Marked the passages for deletion.')
  }
  scene.add(found)
}

async function reportDocuments(scene: Scene, ids: ReadonlySet<string>): Promise<void> {
  if (ids.size === 0) return
  const documents = await scene.inspection!.documents([...ids])
  const found: Finding[] = documents
    .slice(0, MAX_NAMED)
    .map((document) =>
      finding('passages_missing', `The index lacks passages of ${namesOf([document])}.`, { documents: [document] }),
    )
  if (documents.length > MAX_NAMED)
    found.push(
      finding('passages_missing', `The index lacks passages of ${countOf(documents.length - MAX_NAMED, 'more document')}.`),
    )
  if (scene.wantsFix) {
    await (await scene.records()).queue.requeueMany([...ids])
    for (const one of found) repaired(one, 'Queued the document again.')
  }
  for (const one of found) scene.add(one)
}

async function reportFile(scene: Scene, { file, documents }: DamagedIndexFile): Promise<void> {
  const known = await scene.inspection!.documents(documents!)
  const found = finding('passages_damaged', `${file} ${CHANGED}. It has passages of ${namesOf(known)}.`, {
    place: file,
    documents: known.slice(0, MAX_NAMED),
  })
  if (scene.wantsFix) {
    await (await scene.records()).queue.requeueMany(documents!)
    repaired(found, 'Queued the documents again.')
  }
  scene.add(found)
}

async function reportChecksums(scene: Scene, file: string): Promise<void> {
  const found = finding('checksums_damaged', `${file} has damaged lines.`, { place: file })
  if (scene.wantsFix) {
    await scene.index.removeFile?.(file)
    repaired(found, 'Removed the list. The next start of the daemon writes it again.')
  }
  scene.add(found)
}

async function reportTable(scene: Scene, { id, state }: InspectedIndex, { file, message }: IndexDamage): Promise<void> {
  // The message of an error already ends with a full stop.
  const found = finding('index_damaged', `${file} ${message.replace(/\.$/, '')}.`, { place: file })
  if (scene.wantsFix && !scene.leavesIndexToParent && scene.isAlone) {
    const { indexes } = await scene.records()
    if (state === 'active') await indexes.clear()
    else await indexes.drop(id)
    repaired(
      found,
      state === 'active' ? 'The next start rebuilds the index from the stored texts.' : 'Dropped the index, which is not in use.',
    )
  }
  scene.add(found)
}

/** `isCompared` says whether the examination queues documents that the index lacks afterwards. */
async function reportSegment(scene: Scene, { file, message }: IndexDamage, isCompared: boolean): Promise<void> {
  const code: FindingCode = 'segment_damaged'
  const found = finding(code, `${file} ${message}.`, { place: file })
  const { removeFile } = scene.index
  if (scene.wantsFix && removeFile === null && isCompared)
    repaired(found, 'Queued its documents again. Once they are indexed, nothing needs the file.')
  else if (scene.wantsFix && removeFile !== null && !scene.leavesIndexToParent && scene.isAlone) {
    await removeFile(file)
    repaired(found, 'Removed the file. The next start rebuilds it from the stored passages.')
  }
  scene.add(found)
}
