import type { RecordBatch, Vector } from 'apache-arrow'
import type { Passage, StoredPassage } from '../../core/passage.ts'
import { hashText } from '../../text/passage-terms.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { COLUMNS, sparseColumn, VECTOR } from './columns.ts'
import { decodeSparse } from './sparse.ts'

/** The column with the row ID in the answer to a query. */
export const ROW_ID = '_rowid'
/** The columns that make up an `IndexedPassage.id`. */
export const ID_COLUMNS = ['document_id', 'version', 'chunk_index']

const TEXT_FIELDS = [
  'index',
  'pageStart',
  'pageEnd',
  'charStart',
  'charEnd',
  'heading',
  'title',
  'text',
  'gap',
  'context',
] as const satisfies (keyof Passage)[]

const columnOf = (field: keyof StoredPassage) => COLUMNS.find((column) => column.field === field)!.name
const TEXT_COLUMNS = TEXT_FIELDS.map((field) => [field, columnOf(field)] as const)
/** The columns that `intactReader` reads. */
export const HASHED_COLUMNS = [columnOf('text'), columnOf('textHash')]
/** The columns that `textsReader` and `intactReader` read. */
export const READ_COLUMNS = [...new Set([...ID_COLUMNS, ...TEXT_COLUMNS.map(([, name]) => name), ...HASHED_COLUMNS])]

/** Returns the row IDs of a batch. They are plain numbers, because the row IDs of one part are small (table.ts). */
export function rowIds(batch: RecordBatch): number[] {
  const values = batch.getChild(ROW_ID)!
  return Array.from({ length: batch.numRows }, (_, i) => Number(values.get(i)))
}

/** Returns a function that reads the passage ID of a row. */
export function idReader(batch: RecordBatch): (i: number) => Pick<StoredPassage, 'id' | 'documentId' | 'version' | 'index'> {
  const [documents, versions, indexes] = ID_COLUMNS.map((name) => batch.getChild(name)!) as [Vector, Vector, Vector]
  return (i) => {
    const [documentId, version, index] = [documents.get(i) as string, versions.get(i) as number, indexes.get(i) as number]
    return { id: `${documentId}:${version}:${index}`, documentId, version, index }
  }
}

/** Returns a function that reads the texts of a row. */
export function textsReader(batch: RecordBatch): (i: number) => Passage {
  const columns = TEXT_COLUMNS.map(([field, name]) => [field, batch.getChild(name)!] as const)
  const idOf = idReader(batch)
  return (i) => {
    const passage: Record<string, unknown> = idOf(i)
    for (const [field, values] of columns) passage[field] = values.get(i)
    return passage as unknown as Passage
  }
}

/** Returns a function that says whether the text of a row matches its hash. LanceDB has no checksums. */
export function intactReader(batch: RecordBatch): (i: number) => boolean {
  const [texts, hashes] = HASHED_COLUMNS.map((name) => batch.getChild(name)!) as [Vector, Vector]
  return (i) => hashText(texts.get(i) as string) === hashes.get(i)
}

/** Returns a function that reads everything that is stored in a row. */
export function passageReader(batch: RecordBatch, layout: VectorLayout): (i: number) => StoredPassage {
  const columns = COLUMNS.map(({ field, name }) => [field, batch.getChild(name)!] as const)
  const idOf = idReader(batch)
  const vectorOf = vectorReader(batch, layout)
  return (i) => {
    const passage: Record<string, unknown> = idOf(i)
    for (const [field, values] of columns) passage[field] = values.get(i)
    passage['tags'] = [...(passage['tags'] as Iterable<string>)]
    passage['documentCreatedAt'] = new Date(Number(passage['documentCreatedAt']))
    passage['vector'] = vectorOf(i)
    return passage as unknown as StoredPassage
  }
}

/** Returns a function that returns the vector of a row, with all dimensions, or null. */
function vectorReader(batch: RecordBatch, layout: VectorLayout): (i: number) => Float32Array | null {
  const { dimensions, denseDimensions } = layout
  const column = batch.getChild(VECTOR)!
  const values = column.data[0]!.children[0]!.values as Uint16Array
  const halves = new Float16Array(values.buffer, values.byteOffset, values.length)
  // The values of a list that is a slice of another start at the slice's offset.
  const first = column.data[0]!.offset
  const sparse = sparseColumn(layout)
  const rest = sparse === null ? null : batch.getChild(sparse)!
  return (i) => {
    if (!column.isValid(i)) return null
    const vector = new Float32Array(dimensions)
    vector.set(halves.subarray((first + i) * denseDimensions, (first + i + 1) * denseDimensions))
    if (rest !== null) decodeSparse(rest.get(i) as Uint8Array, vector, denseDimensions)
    return vector
  }
}
