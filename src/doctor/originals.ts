import { join } from 'node:path'
import { countOf } from '../core/count-of.ts'
import { formatBytes } from '../core/format-bytes.ts'
import { finding, type FindingCode, repaired } from '../core/findings.ts'
import type { OriginalDamage } from '../core/model.ts'
import { verifyBlob } from '../blobs/verify.ts'
import type { ExpectedOriginal } from '../records/inspection.ts'
import { NO_DATABASE, type Check, type Scene, type Subset } from './scene.ts'

const DAMAGES: Record<OriginalDamage, string> = {
  missing: 'is missing',
  empty: 'is empty',
  cut_off: 'is cut off',
  changed: 'differs from the file that was uploaded',
}

/** Hashes the originals, or a part of them. */
export const checkOriginals: Check = async (scene) => {
  const { inspection, subset, progress, add, dataDir } = scene
  if (inspection === null) return NO_DATABASE
  const originals = inspection.originals().filter(({ sha256 }) => isInSubset(sha256, subset))
  const marked = new Set(inspection.markedOriginals())
  const total = originals.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  let done = 0
  for (const original of originals) {
    try {
      const damage = await verifyBlob(dataDir, original, (bytes) => progress((done += bytes), total, 'bytes'))
      if (damage !== null) await report(scene, original, damage)
      else if (marked.has(original.sha256)) await reportRestored(scene, original)
    } catch (error) {
      const { sha256 } = original
      add(
        finding('original_unreadable', `The original ${placeOf(sha256)} cannot be read: ${(error as Error).message}.`, {
          place: placeOf(sha256),
          documents: inspection.documentsWith(sha256),
        }),
      )
    }
  }
  const part = subset.of === 1 ? '' : `, part ${subset.part} of ${subset.of}`
  return { message: `${countOf(originals.length, 'original')} with ${formatBytes(total)}${part}.` }
}

async function report(scene: Scene, { sha256 }: ExpectedOriginal, damage: OriginalDamage): Promise<void> {
  const documents = scene.inspection!.documentsWith(sha256)
  // The document was deleted meanwhile.
  if (documents.length === 0) return
  const code: FindingCode = damage === 'missing' ? 'original_missing' : 'original_damaged'
  const found = finding(code, `The original of ${namesOf(documents)} ${DAMAGES[damage]}.`, { place: placeOf(sha256), documents })
  if (scene.wantsFix) {
    await (await scene.records()).originals.markDamaged(sha256, damage)
    found.fixed = 'Added a warning to the documents. The next upload of the same file restores the original.'
  }
  scene.add(found)
}

async function reportRestored(scene: Scene, { sha256 }: ExpectedOriginal): Promise<void> {
  const documents = scene.inspection!.documentsWith(sha256)
  const found = finding('original_restored', `The original of ${namesOf(documents)} is intact again.`, {
    place: placeOf(sha256),
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

function placeOf(sha256: string): string {
  return join('blobs', sha256.slice(0, 2), sha256.slice(2))
}

/** Names one document, and counts the others. */
export function namesOf(documents: readonly { path: string; project: string }[]): string {
  const [first] = documents
  if (first === undefined) return 'no document'
  const more = documents.length === 1 ? '' : ` and ${countOf(documents.length - 1, 'more document')}`
  return `${first.path} (project ${first.project})${more}`
}
