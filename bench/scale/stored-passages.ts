import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { decodeSparse } from '../../src/index/passages/sparse.ts'
import type { BenchPassage } from './rivals/rival.ts'

/** A passage with its place, by which an answer's results are compared with it. */
export interface StoredPassage extends BenchPassage {
  documentId: string
  start: number
  end: number
}

const COLUMNS = ['document_id', 'chunk_index', 'text', 'vector', 'char_start', 'char_end']
/** The column of the dimensions that are stored sparsely. Its name ends with their number. Version 0.1 does not have it. */
const SPARSE = /^vector_sparse_(\d+)$/

/** Reads the passages that a daemon has stored in its data folder, in batches. */
export async function* storedPassages(dataDir: string): AsyncIterable<StoredPassage[]> {
  const connection = await connect(join(dataDir, 'lance'))
  for (const name of await connection.tableNames()) {
    const table = await connection.openTable(name)
    const sparse = (await table.schema()).fields.map((field) => field.name).find((field) => SPARSE.test(field)) ?? null
    const rows = table.query().select(sparse === null ? COLUMNS : [...COLUMNS, sparse])
    for await (const batch of rows) yield passagesOf(batch, sparse)
    table.close()
  }
  connection.close()
}

function passagesOf(batch: RecordBatch, sparse: string | null): StoredPassage[] {
  const column = (name: string) => batch.getChild(name)!
  const { offset, children, length } = column('vector').data[0]!
  const [items] = children as [(typeof children)[number]]
  const dense = items.length / length
  const dimensions = dense + Number(sparse === null ? 0 : SPARSE.exec(sparse)![1])
  // LanceDB stores 16-bit floats, which Arrow returns as integers.
  const halves = new Float16Array(items.values.buffer, items.values.byteOffset, items.values.length)
  return Array.from({ length: batch.numRows }, (_, i) => {
    const vector = new Float32Array(dimensions)
    vector.set(halves.subarray((offset + i) * dense, (offset + i + 1) * dense))
    if (sparse !== null) decodeSparse(column(sparse).get(i) as Uint8Array, vector, dense)
    const documentId = column('document_id').get(i) as string
    return {
      id: `${documentId}:${column('chunk_index').get(i)}`,
      text: column('text').get(i) as string,
      vector,
      documentId,
      start: column('char_start').get(i) as number,
      end: column('char_end').get(i) as number,
    }
  })
}
