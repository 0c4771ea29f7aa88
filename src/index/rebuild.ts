import type { StoredPassage } from '../core/passage.ts'
import type { PassageTable } from './passage-table.ts'
import type { SegmentStore } from './segments/store/segment-store.ts'
import { hashText } from '../text/passage-terms.ts'

/** Builds segments of about this many passages, so that searches soon find the first passages of a large project. */
const PASSAGES_AT_ONCE = 4_000

interface StoredRow {
  row: bigint
  passage: StoredPassage
}

interface RebuildParts {
  table: Pick<PassageTable, 'scan'>
  store: Pick<SegmentStore, 'projects' | 'rebuild' | 'mark'>
  lost: LostDocuments
  /** Runs `work` while nothing else writes to the index. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
  /** Returns false if more segments were damaged since this rebuild began. Another rebuild then follows. */
  isCurrent: () => boolean
  /** Called after segments were built without damaged texts, so that their documents are indexed again. */
  onDamagedTexts: () => void
  signal: AbortSignal
}

/**
 * Builds segments of lost documents from the table. Skips a document that is deleted or replaced meanwhile. Returns whether the segments are
 * complete afterwards. Rejects when the table can't be read or a segment can't be written. Segments that were built before the failure stay.
 */
export async function rebuild(parts: RebuildParts): Promise<boolean> {
  const { table, store, lost, exclusive, isCurrent, signal } = parts
  const ready = new Map<string, StoredRow[]>()
  const projectIds = [...lost.projectIds()]
  for await (const rows of wholeDocuments(projectIds.length === 0 ? [] : table.scan({ projectIds }), lost)) {
    const { projectId } = rows[0]!.passage
    const gathered = ready.get(projectId) ?? []
    for (const row of rows) gathered.push(row)
    ready.set(projectId, gathered)
    if (gathered.length >= PASSAGES_AT_ONCE) {
      ready.delete(projectId)
      await install(gathered, parts)
    }
    signal.throwIfAborted()
  }
  for (const rows of ready.values()) await install(rows, parts)
  return exclusive(async () => {
    if (!isCurrent()) return false
    const marked = store.projects().filter(({ isIncomplete }) => isIncomplete)
    await store.mark(marked.map(({ projectId }) => ({ projectId, isIncomplete: false })))
    return true
  })
}

/** Yields the rows of one lost document after another. The rows of a document may come in several batches. */
async function* wholeDocuments(
  batches: AsyncIterable<StoredRow[]> | Iterable<StoredRow[]>,
  lost: LostDocuments,
): AsyncGenerator<StoredRow[]> {
  const begun = new Map<string, StoredRow[]>()
  for await (const batch of batches) {
    for (const stored of batch) {
      const { documentId } = stored.passage
      if (!lost.needs(stored.row, stored.passage)) continue
      const rows = begun.get(documentId) ?? []
      rows.push(stored)
      begun.set(documentId, rows)
      if (rows.length < lost.countRows(documentId)) continue
      begun.delete(documentId)
      yield rows
    }
  }
}

/** Builds one segment of these rows, which are all of one project. */
async function install(rows: readonly StoredRow[], { store, lost, onDamagedTexts }: RebuildParts): Promise<void> {
  const { projectId } = rows[0]!.passage
  const documentIds = [...new Set(rows.map(({ passage }) => passage.documentId))]
  const intact = rows.filter(({ passage }) => hashText(passage.text) === passage.textHash)
  await store.rebuild(projectId, intact, () => documentIds.filter((id) => !lost.has(id)))
  lost.found(documentIds)
  if (intact.length < rows.length) onDamagedTexts()
}

interface LostDocument {
  projectId: string
  version: number
  /** For each passage of this version, by its index in the document, the newest row. */
  rows: Map<number, bigint>
}

/** The documents that the table has but segments lack, because files were damaged or missing. */
export class LostDocuments {
  readonly #documents = new Map<string, LostDocument>()
  /** Rows of earlier versions, and rows of passages that were stored twice. */
  #superseded: bigint[] = []

  /** Adds a row of the table. Only the newest version of a document counts, and only the newest row of a passage. */
  add({ row, id, projectId }: { row: bigint; id: string; projectId: string }): void {
    const { documentId, version, index } = parsePassageId(id)
    let document = this.#documents.get(documentId)
    if (document === undefined || document.version < version) {
      if (document !== undefined) for (const earlier of document.rows.values()) this.#superseded.push(earlier)
      document = { projectId, version, rows: new Map() }
      this.#documents.set(documentId, document)
    }
    const known = document.rows.get(index)
    // An earlier comparison has already added the row.
    if (known === row) return
    if (document.version > version || (known !== undefined && known > row)) this.#superseded.push(row)
    else {
      if (known !== undefined) this.#superseded.push(known)
      document.rows.set(index, row)
    }
  }

  projectIds(): Set<string> {
    return new Set(Array.from(this.#documents.values(), ({ projectId }) => projectId))
  }

  countPassages(): number {
    let sum = 0
    for (const { rows } of this.#documents.values()) sum += rows.size
    return sum
  }

  /** Returns the entries of `PassageIndex.inventory` for these documents. */
  *inventory(): Generator<[documentId: string, { version: number; chunks: number }]> {
    for (const [documentId, { version, rows }] of this.#documents) yield [documentId, { version, chunks: rows.size }]
  }

  has(documentId: string): boolean {
    return this.#documents.has(documentId)
  }

  /** Returns how many rows a rebuild has to read for a document, 0 when the document is not lost. */
  countRows(documentId: string): number {
    return this.#documents.get(documentId)?.rows.size ?? 0
  }

  needs(row: bigint, { documentId, index }: Pick<StoredPassage, 'documentId' | 'index'>): boolean {
    return this.#documents.get(documentId)?.rows.get(index) === row
  }

  /** Removes documents that segments have again. */
  found(documentIds: Iterable<string>): void {
    for (const documentId of documentIds) this.#documents.delete(documentId)
  }

  /** Removes documents that were deleted or replaced, and returns their rows. */
  forget(documentIds: Iterable<string>): bigint[] {
    const rows: bigint[] = []
    for (const documentId of documentIds) for (const row of this.#documents.get(documentId)?.rows.values() ?? []) rows.push(row)
    this.found(documentIds)
    return rows
  }

  /** Returns the rows that no document needs. Returns each row only once. */
  takeSuperseded(): bigint[] {
    const rows = this.#superseded
    this.#superseded = []
    return rows
  }
}

/** Reads the parts of an `IndexedPassage.id`. */
function parsePassageId(id: string): { documentId: string; version: number; index: number } {
  const last = id.lastIndexOf(':')
  const first = id.lastIndexOf(':', last - 1)
  return { documentId: id.slice(0, first), version: Number(id.slice(first + 1, last)), index: Number(id.slice(last + 1)) }
}
