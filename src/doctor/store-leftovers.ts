import { copiesIn } from '../blobs/objects.ts'
import { countOf } from '../core/count-of.ts'
import { finding, repaired } from '../core/findings.ts'
import { formatBytes } from '../core/format-bytes.ts'
import { unnamedFiles } from '../index/inspect-shared.ts'
import type { SharedScene } from './shared-scene.ts'

/** A document or commit may soon need a younger object. Every few hours, the writer of the index deletes what nothing needs. */
const GRACE_MS = 24 * 3_600_000
/** How many hashes to look up in the records at once. */
const AT_ONCE = 1_000

export function isLeftover(modifiedAt: Date, now: Date): boolean {
  return now.getTime() - modifiedAt.getTime() > GRACE_MS
}

/** Finds originals in the object store that no document has. */
export async function checkLeftoverOriginals(scene: SharedScene): Promise<void> {
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
export async function checkLeftoverFiles(scene: SharedScene): Promise<void> {
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
