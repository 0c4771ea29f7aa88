import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { corrupt } from '../segments/failures.ts'
import type { StoredPassage } from '../../core/passage.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { arrow, tableSchema } from './columns.ts'
import { passageReader } from './decode.ts'
import { toArrow } from './encode.ts'

/** Writes batches of passages to a file as an Arrow IPC stream, with the columns of the table. */
export async function writeArrowFile(
  batches: AsyncIterable<readonly StoredPassage[]>,
  { file, layout }: { file: string; layout: VectorLayout },
): Promise<void> {
  const schema = tableSchema(layout)
  const tables = async function* () {
    // A reader takes the schema from the first batch, so there is always one.
    yield toArrow([], schema, layout).batches[0]
    for await (const passages of batches) yield* toArrow(passages, schema, layout).batches
  }
  const encode = arrow.RecordBatchStreamWriter.throughNode({ autoDestroy: true })
  await pipeline(Readable.from(tables()), encode, createWriteStream(file, { mode: 0o600 }))
}

/** Yields the passages of a file of `writeArrowFile`. Throws `index_corrupt` when it has other columns. */
export async function* readArrowFile(file: string, layout: VectorLayout): AsyncGenerator<StoredPassage[]> {
  const reader = await arrow.RecordBatchReader.from(createReadStream(file))
  await reader.open()
  const columns = (names: { name: string; type: unknown }[]) => names.map(({ name, type }) => `${name} ${String(type)}`).join()
  if (columns(reader.schema.fields) !== columns(tableSchema(layout).fields))
    throw corrupt('The passages in the backup have a layout that this version does not know.')
  for await (const batch of reader) {
    if (batch.numRows === 0) continue
    const passageAt = passageReader(batch, layout)
    yield Array.from({ length: batch.numRows }, (_, i) => passageAt(i))
  }
}
