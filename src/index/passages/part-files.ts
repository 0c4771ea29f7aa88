import type { Table } from '@lancedb/lancedb'
import type { OnRead } from '../passage-table.ts'
import { type ChangedFile, Checksums, findChangedFiles } from './checksums.ts'
import { rowIds } from './decode.ts'

/** The upper half of a row's address is the number of its fragment. */
const ROWS_OF_FRAGMENT = 2n ** 32n
const ROW_ADDRESS = '_rowaddr'

/** A file of a part that differs from its checksum, and the rows that it holds. The rows are null if the file concerns the whole part. */
export interface DamagedPartFile {
  /** Relative to the folder of the part. */
  file: string
  rows: number[] | null
}

/** The files of a part on disk, and their checksums. */
export class PartFiles {
  readonly #folder: string
  readonly #checksums: Checksums

  constructor(folder: string) {
    this.#folder = folder
    this.#checksums = new Checksums(folder)
  }

  get folder(): string {
    return this.#folder
  }

  loadChecksums(): Promise<void> {
    return this.#checksums.load()
  }

  updateChecksums(onRead: OnRead): Promise<void> {
    return this.#checksums.update(onRead)
  }

  async findDamaged(table: Table, onRead: OnRead): Promise<DamagedPartFile[]> {
    const damaged: DamagedPartFile[] = []
    for (const { file, fragment } of await findChangedFiles(this.#folder, onRead))
      damaged.push({ file, rows: await rowsOf(table, fragment) })
    return damaged
  }
}

/** Reads no data file: row IDs and addresses are in the manifest. */
async function rowsOf(table: Table, fragment: ChangedFile['fragment']): Promise<number[] | null> {
  if (fragment === null) return null
  const first = BigInt(fragment) * ROWS_OF_FRAGMENT
  const where = `${ROW_ADDRESS} >= ${first} AND ${ROW_ADDRESS} < ${first + ROWS_OF_FRAGMENT}`
  const found: number[] = []
  for await (const batch of table.query().where(where).select([ROW_ADDRESS]).withRowId())
    for (const row of rowIds(batch)) found.push(row)
  return found
}
