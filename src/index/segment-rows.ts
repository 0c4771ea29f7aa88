import type { DamagedIndexFile } from './passage-index.ts'
import type { DamagedFile } from './passage-table.ts'
import { type Bitmap, createBitmap, hasBit, setBit } from './segments/bitmap.ts'
import { lowerBound } from './segments/lower-bound.ts'
import { openSegment } from './segments/segment-reader.ts'
import { livePassages, type ProjectSegments } from './segments/store/project-segments.ts'

/** Adds the documents of a project to what `PassageIndex.inventory` returns. */
export function addInventory(
  { segments }: Pick<ProjectSegments, 'segments'>,
  inventory: Map<string, { version: number; chunks: number }>,
): void {
  for (const shared of segments) {
    const { segment, deletions } = openSegment(shared).reader
    for (let document = 0; document < segment.documents; document++) {
      const { start, end } = segment.passagesOf(document)
      let chunks = 0
      for (let passage = start; passage < end; passage++) if (!deletions.has(passage)) chunks++
      if (chunks === 0) continue
      const [id, version] = [segment.documentId(document), segment.versionOf(document)]
      const known = inventory.get(id) ?? { version, chunks: 0 }
      // There should never be two versions of a document. If there are, their sum matches neither version, and recovery repairs the document.
      inventory.set(id, { version: Math.max(version, known.version), chunks: known.chunks + chunks })
    }
  }
}

/** Returns which of the given rows segments refer to. */
export function rowsAmong(projects: readonly ProjectSegments[], rows: readonly bigint[]): Set<bigint> {
  const wanted = new Set(rows)
  const found = new Set<bigint>()
  for (const project of projects) forEachPassage(project, (row) => wanted.has(row) && found.add(row))
  return found
}

/** Returns the rows of a document. */
export function rowsOf(projects: readonly ProjectSegments[], documentId: string): bigint[] {
  const found: bigint[] = []
  for (const { segments } of projects)
    for (const shared of segments) {
      const { segment, deletions } = openSegment(shared).reader
      for (let document = 0; document < segment.documents; document++) {
        if (segment.documentId(document) !== documentId) continue
        const { start, end } = segment.passagesOf(document)
        for (let passage = start; passage < end; passage++)
          if (!deletions.has(passage)) found.push(segment.sections.rows[passage]!)
      }
    }
  return found
}

/** Returns the documents of the given rows. */
export function documentsOf(projects: readonly ProjectSegments[], rows: readonly bigint[]): string[] {
  const wanted = new Set(rows)
  const documents = new Set<string>()
  for (const project of projects)
    forEachPassage(project, (row, documentId) => {
      if (wanted.has(row)) documents.add(documentId())
    })
  return [...documents]
}

/** Names the documents whose passages are in damaged files of the table. */
export function toDamagedIndexFiles(files: readonly DamagedFile[], projects: readonly ProjectSegments[]): DamagedIndexFile[] {
  return files.map(({ file, rows }) => ({ file, documents: rows === null ? null : documentsOf(projects, rows) }))
}

/** Calls `visit` for each passage that is not deleted. */
export function forEachPassage(
  { segments }: Pick<ProjectSegments, 'segments'>,
  visit: (row: bigint, documentId: () => string) => void,
): void {
  for (const shared of segments) {
    const { segment, deletions } = openSegment(shared).reader
    const { rows, passageDocuments } = segment.sections
    for (let passage = 0; passage < segment.passages; passage++)
      if (!deletions.has(passage)) visit(rows[passage]!, () => segment.documentId(passageDocuments[passage]!))
  }
}

/** The rows that segments refer to, for a comparison with the rows of the table. Takes 8 bytes for each row. */
export class SegmentRows {
  /** Ascending. */
  readonly #rows: Float64Array
  readonly #isStored: Bitmap
  #storedCount = 0
  readonly #projects: readonly ProjectSegments[]

  constructor(projects: readonly ProjectSegments[]) {
    this.#projects = projects
    this.#rows = new Float64Array(projects.reduce((sum, project) => sum + livePassages(project), 0))
    this.#isStored = createBitmap(this.#rows.length)
    let at = 0
    for (const project of projects) forEachPassage(project, (row) => (this.#rows[at++] = Number(row)))
    this.#rows.sort()
  }

  /** Returns whether these are the rows of the table. `rows` is in ascending order. */
  areExactly(rows: Float64Array): boolean {
    return rows.length === this.#rows.length && rows.every((row, i) => row === this.#rows[i])
  }

  /** Records that the table has a row. Returns whether a segment refers to the row. Call it only once for each row. */
  note(row: bigint): boolean {
    const place = this.#placeOf(row)
    if (place === null) return false
    setBit(this.#isStored, place)
    this.#storedCount++
    return true
  }

  /** Returns the documents that have rows in segments but not in the table. */
  documentsWithoutRows(): string[] {
    const documents = new Set<string>()
    if (this.#storedCount === this.#rows.length) return []
    for (const project of this.#projects)
      forEachPassage(project, (row, documentId) => {
        if (!hasBit(this.#isStored, this.#placeOf(row)!)) documents.add(documentId())
      })
    return [...documents]
  }

  #placeOf(row: bigint): number | null {
    const wanted = Number(row)
    const place = lowerBound(this.#rows.length, (at) => this.#rows[at]! >= wanted)
    return this.#rows[place] === wanted ? place : null
  }
}
