import type { LostDocuments } from './lost-documents.ts'
import type { StoredPassage } from '../core/passage.ts'
import type { PassageTable } from './passage-table.ts'
import type { SegmentStore } from './segments/store/segment-store.ts'
import { hashText } from './text-hash.ts'

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
