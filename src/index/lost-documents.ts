import type { StoredPassage } from '../core/passage.ts'

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
