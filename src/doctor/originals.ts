import { countOf } from '../core/count-of.ts'
import { isDocsearchError } from '../core/errors.ts'
import { formatBytes } from '../core/format-bytes.ts'
import { finding, type FindingCode, repaired } from '../core/findings.ts'
import type { OriginalDamage } from '../core/model.ts'
import type { ExpectedOriginal, Inspection } from '../records/inspection.ts'
import { NO_DATABASE, type Check, type Scene, type Subset } from './scene.ts'

const DAMAGES: Record<OriginalDamage, string> = {
  missing: 'is missing',
  empty: 'is empty',
  cut_off: 'is cut off',
  changed: 'differs from the file that was uploaded',
}

/** How many originals to read from the records at once. */
const AT_ONCE = 1_000

/** Hashes the originals, or a part of them. */
export const checkOriginals: Check = async (scene) => {
  const { inspection, originals, subset, progress, add } = scene
  if (inspection === null) return NO_DATABASE
  const marked = new Set(await inspection.markedOriginals())
  let [count, total, done] = [0, 0, 0]
  for await (const { sizeBytes } of originalsIn(inspection, subset)) [count, total] = [count + 1, total + sizeBytes]
  for await (const original of originalsIn(inspection, subset)) {
    try {
      const damage = await originals.verify(original, (bytes) => progress((done += bytes), total, 'bytes'))
      if (damage !== null) await report(scene, original, damage)
      else if (marked.has(original.sha256)) await reportRestored(scene, original)
    } catch (error) {
      // The other originals can't be read either.
      if (isDocsearchError(error)) throw error
      const { sha256 } = original
      const place = originals.placeOf(sha256)
      add(
        finding('original_unreadable', `The original ${place} cannot be read: ${(error as Error).message}.`, {
          place,
          documents: await inspection.documentsWith(sha256),
        }),
      )
    }
  }
  const part = subset.of === 1 ? '' : `, part ${subset.part} of ${subset.of}`
  return { message: `${countOf(count, 'original')} with ${formatBytes(total)}${part}.` }
}

/** Yields the originals of a part without holding all of them in memory. */
async function* originalsIn(inspection: Pick<Inspection, 'originals'>, subset: Subset): AsyncGenerator<ExpectedOriginal> {
  for (let after = ''; ;) {
    const found = await inspection.originals({ after, limit: AT_ONCE })
    for (const original of found) if (isInSubset(original.sha256, subset)) yield original
    if (found.length < AT_ONCE) return
    after = found.at(-1)!.sha256
  }
}

async function report(scene: Scene, { sha256 }: ExpectedOriginal, damage: OriginalDamage): Promise<void> {
  const documents = await scene.inspection!.documentsWith(sha256)
  // The document was deleted meanwhile.
  if (documents.length === 0) return
  const code: FindingCode = damage === 'missing' ? 'original_missing' : 'original_damaged'
  const found = finding(code, `The original of ${namesOf(documents)} ${DAMAGES[damage]}.`, {
    place: scene.originals.placeOf(sha256),
    documents,
  })
  if (scene.wantsFix) {
    await (await scene.records()).originals.markDamaged(sha256, damage)
    found.fixed = 'Added a warning to the documents. The next upload of the same file restores the original.'
  }
  scene.add(found)
}

async function reportRestored(scene: Scene, { sha256 }: ExpectedOriginal): Promise<void> {
  const documents = await scene.inspection!.documentsWith(sha256)
  const found = finding('original_restored', `The original of ${namesOf(documents)} is intact again.`, {
    place: scene.originals.placeOf(sha256),
    documents,
  })
  if (scene.wantsFix) {
    await (await scene.records()).originals.markIntact(sha256)
    repaired(found, 'Removed the warning.')
  }
  scene.add(found)
}

export function isInSubset(sha256: string, { part, of }: Subset): boolean {
  return Number.parseInt(sha256.slice(0, 12), 16) % of === part - 1
}

/** Names one document, and counts the others. */
export function namesOf(documents: readonly { path: string; project: string }[]): string {
  const [first] = documents
  if (first === undefined) return 'no document'
  const more = documents.length === 1 ? '' : ` and ${countOf(documents.length - 1, 'more document')}`
  return `${first.path} (project ${first.project})${more}`
}
