import type { Table } from '@lancedb/lancedb'
import type { RecordBatch, Schema } from 'apache-arrow'
import pLimit from 'p-limit'
import type { StoredPassage } from '../../core/passage.ts'
import type { OnRead } from '../passage-table.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { ID_COLUMNS, idReader, ROW_ID, rowIds } from './decode.ts'
import { toArrow } from './encode.ts'
import { type ChangedFile, Checksums, findChangedFiles } from './checksums.ts'

/** Rows to add in one commit. LanceDB keeps the order of rows within one batch. */
const ADD_ROWS = 4_096
/** Row IDs in one statement to delete rows. */
const DELETE_ROWS = 10_000

/** With more files, compacts the part: every commit writes the list of all files. */
const MAX_FRAGMENTS = 512
/** After more commits, compacts the part: each old version has files. */
const MAX_COMMITS = 512
/** A compaction rewrites all rows of a part. So files are compacted only if there are this many and they hold this share of the rows. */
const MIN_FRAGMENTS = 64
const MIN_SHARE = 0.25
/** If deleting replaced files would also compact newer files, the replaced files stay this many times as long as old versions. */
const PATIENCE = 12

/** The state of a part when it is opened. */
export interface PartState {
  rows: number
  /** Greater than every row ID that exists. */
  nextRow: number
  /** How many versions of the table still have files. */
  versions: number
  openedAt: Date
}

export interface PartTable {
  table: Table
  schema: Schema
  /** The columns to drop from the table before rows are added. */
  unread?: readonly string[]
  layout: VectorLayout
  /** Null for a part in an object store, where other processes read it as well. */
  files: PartFiles | null
}

/** A batch of a query's answer. `rows` are the rows to use, each with its index in the batch. */
export interface PartBatch {
  batch: RecordBatch
  rows: (readonly [place: number, row: number])[]
}

/**
 * One LanceDB table with some of an index's passages. A compaction takes seconds, and another commit in that time would make it fail. So
 * during a compaction, the part only remembers the rows to delete, and the index adds rows to another part.
 */
export class Part {
  readonly files: PartFiles | null
  readonly #table: Table
  readonly #schema: Schema
  #unread: readonly string[]
  readonly #layout: VectorLayout
  readonly #write = pLimit(1)
  /** Rows to delete. No method returns them. */
  readonly #removed = new Set<number>()
  #isOptimizing = false
  #scans = 0
  /** True when a scan has kept a worthwhile compaction from starting. */
  #isPostponed = false
  /** The running calls of LanceDB that read. The table is closed only after they end. */
  readonly #reads = new Set<Promise<unknown>>()
  #rows: number
  #nextRow: number
  /** The number of commits since the last compaction. */
  #commits: number
  /** True when a failed commit may have left files behind. */
  #hasLeftovers = false
  /** When a compaction replaced files that have not been deleted yet. Null if there are none. */
  #replacedAt: Date | null

  constructor({ table, schema, unread = [], layout, files }: PartTable, { rows, nextRow, versions, openedAt }: PartState) {
    this.files = files
    this.#table = table
    this.#schema = schema
    this.#unread = unread
    this.#layout = layout
    this.#rows = rows
    this.#nextRow = nextRow
    this.#commits = versions
    this.#replacedAt = versions > 1 ? openedAt : null
  }

  get isOptimizing(): boolean {
    return this.#isOptimizing
  }

  /** The number of rows, without the rows to delete. */
  get rows(): number {
    return Math.max(0, this.#rows - this.#removed.size)
  }

  /** Adds passages and returns their row IDs, in the same order. */
  add(passages: readonly StoredPassage[]): Promise<number[]> {
    return this.#write(async () => {
      if (this.#unread.length > 0) await this.#dropUnread()
      const rows: number[] = []
      for (let at = 0; at < passages.length; at += ADD_ROWS) {
        const batch = passages.slice(at, at + ADD_ROWS)
        await this.#commit(() => this.#table.add(toArrow(batch, this.#schema, this.#layout)))
        this.#rows += batch.length
        const first = await this.#firstRowOf(batch)
        this.#nextRow = first + batch.length
        for (let i = 0; i < batch.length; i++) rows.push(first + i)
      }
      return rows
    })
  }

  async #dropUnread(): Promise<void> {
    // Another process may have dropped them since this one opened the part.
    await this.#table.checkoutLatest()
    const { fields } = await this.#table.schema()
    const unread = this.#unread.filter((column) => fields.some(({ name }) => name === column))
    if (unread.length > 0) await this.#commit(() => this.#table.dropColumns(unread))
    this.#unread = []
  }

  /** Deletes rows, or remembers them until the compaction in progress has ended. */
  async remove(rows: readonly number[]): Promise<void> {
    for (const row of rows) this.#removed.add(row)
    if (!this.#isOptimizing) await this.flush()
  }

  /** Deletes the rows that `remove` has remembered. Keeps remembering rows that could not be deleted. */
  flush(): Promise<void> {
    return this.#write(async () => {
      while (this.#removed.size > 0) {
        const rows = [...this.#removed].slice(0, DELETE_ROWS)
        const where = `${ROW_ID} IN (${rows.join(', ')})`
        const { numDeletedRows } = await this.#commit(() => this.#table.delete(where))
        for (const row of rows) this.#removed.delete(row)
        this.#rows -= numDeletedRows
      }
    })
  }

  /** Returns the rows that exist. */
  async read(rows: readonly number[], columns: string[]): Promise<PartBatch[]> {
    const isVisible = this.#visibility()
    const wanted = rows.filter(isVisible)
    if (wanted.length === 0) return []
    const found = await this.#reading(() => this.#table.takeRowIds(wanted).select(columns).withRowId().toArrow())
    return found.batches.map((batch) => ({ batch, rows: visibleRows(batch, isVisible) }))
  }

  /** Returns which of the rows meet a condition in SQL. */
  meeting(rows: readonly number[], condition: string): Promise<number[]> {
    return this.#reading(async () => {
      const isVisible = this.#visibility()
      const wanted = rows.filter(isVisible)
      if (wanted.length === 0) return []
      const found = await this.#table.takeRowIds(wanted).select({ meets: condition }).withRowId().toArrow()
      return found.batches.flatMap((batch) => {
        const meets = batch.getChild('meets')!
        return visibleRows(batch, isVisible).flatMap(([i, row]) => (meets.get(i) === true ? row : []))
      })
    })
  }

  /**
   * Yields rows in batches. Waits for a compaction in progress. No compaction starts during a scan, because it would delete files that the scan
   * reads. The caller has to end the scan before it closes the table.
   */
  async *scan(columns: string[], where?: string): AsyncGenerator<PartBatch> {
    await this.#write(async () => this.#scans++)
    try {
      const isVisible = this.#visibility()
      const query = this.#table.query().select(columns).withRowId()
      for await (const batch of where === undefined ? query : query.where(where))
        yield { batch, rows: visibleRows(batch, isVisible) }
    } finally {
      this.#scans--
    }
  }

  /** True when `optimize` has to run again later, for old files of a compaction, or for a compaction that a scan has kept from starting. */
  get isDueLater(): boolean {
    return this.#replacedAt !== null || this.#isPostponed
  }

  /**
   * Compacts the files and deletes versions that were replaced at least `keepMs` ago, if that is worthwhile. Returns whether it was. Also deletes
   * rows that could not be deleted before.
   */
  async optimize(now: Date, keepMs: number): Promise<boolean> {
    if (this.#isOptimizing) return false
    const isWorthIt = await this.#reading(() => this.#isWorthCompacting(now, keepMs))
    this.#isPostponed = isWorthIt && this.#scans > 0
    const isCompacting = isWorthIt && !this.#isPostponed
    if (isCompacting) await this.#compact(now, keepMs)
    await this.flush()
    return isCompacting
  }

  /** Makes visible what other processes have committed. */
  refresh(): Promise<void> {
    return this.#write(async () => {
      await this.#reading(() => this.#table.checkoutLatest())
      this.#rows = await this.#reading(() => this.#table.countRows())
    })
  }

  /** Reads all manifests. `optimize` needs them, so they have to be readable. */
  async readVersions(): Promise<void> {
    await this.#reading(() => this.#table.listVersions())
  }

  /** Compares all files in use with their checksums. */
  damagedFiles(onRead: OnRead): Promise<DamagedPartFile[]> {
    return this.#reading(async () => (await this.files?.findDamaged(this.#table, onRead)) ?? [])
  }

  async answers(): Promise<void> {
    // LanceDB may answer a query from its cache, so a query does not show whether the object store answers.
    if (this.files === null) return this.#reading(() => this.#table.checkoutLatest())
    await this.#reading(() => this.#table.query().select(['version']).limit(1).toArrow())
  }

  /** Waits for a compaction and for reads, deletes the rows that `remove` has remembered, and closes the table. */
  async close(): Promise<void> {
    try {
      await this.flush()
    } finally {
      await Promise.allSettled(this.#reads)
      this.#table.close()
    }
  }

  async #reading<T>(read: () => Promise<T>): Promise<T> {
    const result = read()
    this.#reads.add(result)
    try {
      return await result
    } finally {
      this.#reads.delete(result)
    }
  }

  async #compact(now: Date, keepMs: number): Promise<void> {
    this.#isOptimizing = true
    try {
      await this.#write(async () => {
        // `deleteUnverified` also removes the files of failed commits. That is safe if nobody else commits to this part now. In an object store, an earlier
        // writer may be about to commit such files, so there LanceDB keeps them for a week.
        const options = { cleanupOlderThan: new Date(now.getTime() - keepMs), deleteUnverified: this.files !== null }
        const { compaction } = await this.#table.optimize(options)
        this.#replacedAt = compaction.fragmentsRemoved > 0 ? now : null
        this.#commits = 0
        this.#hasLeftovers = false
        // Other processes may still read the replaced files.
        if (this.#replacedAt !== null && this.files !== null) await this.#deleteReplaced()
      })
    } finally {
      this.#isOptimizing = false
    }
  }

  /** Deletes the files that a compaction has replaced, once no query reads them any more. Otherwise they would take as much disk as the new ones. */
  async #deleteReplaced(): Promise<void> {
    await Promise.allSettled(this.#reads)
    // LanceDB compares this with the times that it has read from the system's clock.
    await this.#table.optimize({ cleanupOlderThan: new Date(), deleteUnverified: true })
    this.#replacedAt = null
  }

  /** Returns a function that says whether a query that starts now may return a row: it may not if the row has been removed, even during the query. */
  #visibility(): (row: number) => boolean {
    const removed = new Set(this.#removed)
    return (row) => !removed.has(row) && !this.#removed.has(row)
  }

  async #isWorthCompacting(now: Date, keepMs: number): Promise<boolean> {
    if (this.#hasLeftovers || this.#commits >= MAX_COMMITS) return true
    const { numRows, fragmentStats } = await this.#table.stats()
    const { numFragments, lengths } = fragmentStats
    const stored = lengths.mean * numFragments
    if (numFragments >= MAX_FRAGMENTS || stored - numRows > MIN_SHARE * stored) return true
    if (numFragments >= MIN_FRAGMENTS && stored - lengths.max >= MIN_SHARE * stored) return true
    // Deleting old files also compacts newer ones. So if there are newer files, the old ones stay longer.
    const keptMs = this.#replacedAt === null ? 0 : now.getTime() - this.#replacedAt.getTime()
    return keptMs >= keepMs * (numFragments > 1 ? PATIENCE : 1) && this.#replacedAt !== null
  }

  async #commit<T>(work: () => Promise<T>): Promise<T> {
    this.#commits++
    try {
      return await work()
    } catch (error) {
      this.#hasLeftovers = true
      throw error
    }
  }

  /** Returns the row ID of the first row that was just added. */
  async #firstRowOf(added: readonly StoredPassage[]): Promise<number> {
    // LanceDB assigns row IDs in order. So the next one is known, unless the last rows had been deleted when the part was opened.
    if (await this.#isAt(this.#nextRow, added)) return this.#nextRow
    const first = (await this.#lastRow()) - added.length + 1
    if (first >= 0 && (await this.#isAt(first, added))) return first
    throw new Error('LanceDB did not give the added rows consecutive row IDs')
  }

  /** Returns the IDs of all rows. */
  allRows(): Promise<number[]> {
    return this.#reading(async () => {
      const isVisible = this.#visibility()
      const rows: number[] = []
      for await (const batch of this.#table.query().select(['version']).withRowId())
        for (const row of rowIds(batch)) if (isVisible(row)) rows.push(row)
      return rows
    })
  }

  /** Returns the highest row ID from `#nextRow` on, or -1 when there is none. */
  async #lastRow(): Promise<number> {
    let last = -1
    const newer = this.#table.query().where(`${ROW_ID} >= ${this.#nextRow}`)
    for await (const batch of newer.select(['version']).withRowId()) for (const row of rowIds(batch)) last = Math.max(last, row)
    return last
  }

  /** Checks whether the added passages have consecutive row IDs from `first` on, by the first and the last of them. */
  async #isAt(first: number, added: readonly StoredPassage[]): Promise<boolean> {
    const expected = new Map([
      [first, added[0]!],
      [first + added.length - 1, added.at(-1)!],
    ])
    let found = 0
    for (const { batch, rows } of await this.read([...expected.keys()], ID_COLUMNS)) {
      const idOf = idReader(batch)
      for (const [i, row] of rows) {
        const { documentId, version, index } = idOf(i)
        const passage = expected.get(row)
        if (passage?.documentId === documentId && passage.version === version && passage.index === index) found++
      }
    }
    return found === expected.size
  }
}

function visibleRows(batch: RecordBatch, isVisible: (row: number) => boolean): PartBatch['rows'] {
  return [...rowIds(batch).entries()].filter(([, row]) => isVisible(row))
}

/** The upper half of a row's address is the number of its fragment. */
const ROWS_OF_FRAGMENT = 2n ** 32n
const ROW_ADDRESS = '_rowaddr'

/** A file of a part that differs from its checksum, and the rows that it holds. The rows are null if the file concerns the whole part. */
interface DamagedPartFile {
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
