import { join } from 'node:path'
import { connect, type Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import type { BenchPassage } from './rivals/rival.ts'

/** A passage with its place, by which an answer's results are compared with it. */
export interface StoredPassage extends BenchPassage {
  documentId: string
  start: number
  end: number
}

/** Reads the passages that a daemon has stored in its data folder, in batches. */
export async function* storedPassages(dataDir: string): AsyncIterable<StoredPassage[]> {
  const connection = await connect(join(dataDir, 'lance'))
  const table = await largestTable(await Promise.all((await connection.tableNames()).map((name) => connection.openTable(name))))
  const rows = table.query().select(['id', 'text', 'vector', 'document_id', 'char_start', 'char_end'])
  for await (const batch of rows) yield passagesOf(batch)
  connection.close()
}

async function largestTable(tables: readonly Table[]): Promise<Table> {
  const counted = await Promise.all(tables.map(async (table) => ({ table, rows: await table.countRows() })))
  return counted.toSorted((a, b) => b.rows - a.rows)[0]!.table
}

function passagesOf(batch: RecordBatch): StoredPassage[] {
  const column = (name: string) => batch.getChild(name)!
  const vectors = column('vector').data[0]!
  const items = vectors.children[0]!
  const dimensions = items.length / vectors.length
  // LanceDB stores 16-bit floats, which Arrow hands over as integers.
  const halves = new Float16Array(items.values.buffer, items.values.byteOffset, items.length)
  return Array.from({ length: batch.numRows }, (_, i) => ({
    id: column('id').get(i) as string,
    text: column('text').get(i) as string,
    vector: Float32Array.from(halves.subarray(i * dimensions, (i + 1) * dimensions)),
    documentId: column('document_id').get(i) as string,
    start: column('char_start').get(i) as number,
    end: column('char_end').get(i) as number,
  }))
}
