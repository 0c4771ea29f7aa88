import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '@lancedb/lancedb'
import type { Vector } from 'apache-arrow'
import { BackgroundTask } from '../../core/background-task.ts'
import { Breaker, BreakerOpen } from '../../core/breaker.ts'
import type { Clock } from '../../core/clock.ts'
import { countOf } from '../../core/count-of.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import { storeUnavailable } from '../../core/store-errors.ts'
import type { Passage, StoredPassage } from '../../core/passage.ts'
import type { DamagedFile, OnRead, PassageTable, RowOfPassage, TableHealth } from '../passage-table.ts'
import { DamagedTexts, indexFailure, readFailure } from '../segments/failures.ts'
import type { PhraseFilter } from '../../text/phrase.ts'
import type { VectorLayout } from '../segments/vectors/format.ts'
import { PassageCache } from './cache.ts'
import { tableSchema } from './columns.ts'
import { ID_COLUMNS, idReader, intactReader, passageReader, READ_COLUMNS, textsReader } from './decode.ts'
import type { PartFiles, Part, PartBatch } from './part.ts'
import { phrasesToSql, sqlIn } from './sql.ts'

/** After these errors, another attempt would fail as well and only take time. */
const STORE_FAILURES: ReadonlySet<ErrorCode> = new Set(['store_unavailable', 'store_refused'])
/** A part with this many rows takes no more passages, so that a compaction takes only seconds (measured: 5 s on two busy cores). */
const PART_ROWS = 262_144
/** A row ID of the index is the part's number times this, plus the row ID in the part. It stays below 2^53, so a number holds it exactly. */
const ROWS_OF_PART = 2 ** 32
/** Passages in a batch of `scan`, about 10 MB. */
const SCAN_ROWS = 1_024
/** Rows that `verify` reads before it pauses. */
const VERIFIED_ROWS = 512
/** Rows whose texts one query reads. */
const CHECKED_ROWS = 2_000
const KEEP_VERSIONS_MS = 5 * 60_000

export interface TableOptions {
  layout: VectorLayout
  clock: Clock
  log: Logger
  cacheBytes: number
  /** Replaces `PART_ROWS` in tests, which can't add so many passages. */
  partRows?: number
  /** How long old versions of a part stay on disk, for queries that still read them. */
  keepVersionsMs?: number
}

/** The parts of a table. */
export interface TableParts {
  open: Part[]
  /** Creates the part with this number, unless another process has created it meanwhile. */
  create: (number: number) => Promise<Part>
  /** Opens the parts that other processes have created: those with this number and higher ones. Null if no other process uses the table. */
  openNew: ((first: number) => Promise<Part[]>) | null
}

/** Stores the passages in parts of bounded size (part.ts). */
export class LancePassageTable implements PassageTable {
  readonly #connection: Connection
  readonly #parts: Part[]
  readonly #addPart: TableParts['create']
  readonly #openNew: TableParts['openNew']
  readonly #options: TableOptions
  readonly #cache: PassageCache
  /** How often `remove` was called. */
  #removals = 0
  #newPart: Promise<Part> | null = null
  /** For a table in an object store. */
  readonly #patience: StorePatience | null
  #checksums: ChecksumRecorder | null = null
  #optimizing: Promise<void> | null = null
  #refreshing: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(connection: Connection, { open, create, openNew }: TableParts, options: TableOptions) {
    this.#connection = connection
    this.#parts = open
    this.#addPart = create
    this.#openNew = openNew
    this.#patience = openNew === null ? null : new StorePatience(() => this.#parts.at(-1)?.answers() ?? Promise.resolve())
    this.#options = options
    this.#cache = new PassageCache(options.cacheBytes)
  }

  add(passages: readonly StoredPassage[]): Promise<bigint[]> {
    return guarded(async () => {
      if (passages.length === 0) return []
      const part = this.#partWithRoom() ?? (await this.#createPart())
      const rows = await part.add(passages)
      this.#checksums?.changed()
      return rows.map((row) => this.#rowOf(part, row))
    })
  }

  remove(rows: readonly bigint[]): Promise<void> {
    this.#removals++
    for (const row of rows) this.#cache.delete(row)
    return guarded(async () => {
      await Promise.all(this.#byPart(rows).map(([part, own]) => part.remove(own)))
      this.#checksums?.changed()
    })
  }

  async read(rows: readonly bigint[]): Promise<Map<bigint, Passage>> {
    const found = await this.#readKnown(rows)
    const others = this.#openNew === null ? [] : rows.filter((row) => !found.has(row))
    if (others.length === 0) return found
    // Another process may have added these rows in a commit that this process does not know yet.
    await this.#patiently(() => this.refresh())
    for (const [row, passage] of await this.#readKnown(others)) found.set(row, passage)
    return found
  }

  async #readKnown(rows: readonly bigint[]): Promise<Map<bigint, Passage>> {
    const found = new Map<bigint, Passage>()
    const others: bigint[] = []
    const damaged: bigint[] = []
    const removals = this.#removals
    for (const row of rows) {
      const passage = this.#cache.get(row)
      if (passage === undefined) others.push(row)
      else found.set(row, passage)
    }
    await Promise.all(
      this.#byPart(others).map(async ([part, own]) => {
        for (const { batch, rows } of await this.#patiently(() => part.read(own, READ_COLUMNS))) {
          const [textsAt, isIntact] = [textsReader(batch), intactReader(batch)]
          for (const [i, own] of rows) {
            const row = this.#rowOf(part, own)
            if (!isIntact(i)) {
              damaged.push(row)
              continue
            }
            const passage = textsAt(i)
            found.set(row, passage)
            // If rows were removed meanwhile, this passage may be one of them, so it must not get into the cache.
            if (removals === this.#removals) this.#cache.set(row, passage)
          }
        }
      }),
    )
    if (damaged.length > 0) throw new DamagedTexts(damaged)
    return found
  }

  refresh(): Promise<void> {
    if (this.#openNew === null) return Promise.resolve()
    this.#refreshing ??= guarded(() => this.#refreshParts()).finally(() => (this.#refreshing = null))
    return this.#refreshing
  }

  async readStored(rows: readonly bigint[]): Promise<StoredPassage[]> {
    const found: StoredPassage[] = []
    for (const [part, own] of this.#byPart(rows))
      for (const { batch, rows: read } of await this.#reading(() => part.read(own, this.#columns))) {
        const passageAt = passageReader(batch, this.#options.layout)
        found.push(...read.map(([i]) => passageAt(i)))
      }
    return found
  }

  async *scan({ projectIds }: { projectIds?: readonly string[] } = {}): AsyncGenerator<
    { row: bigint; passage: StoredPassage }[]
  > {
    const where = projectIds === undefined ? undefined : sqlIn('project_id', projectIds)
    for await (const { part, batch, rows } of this.#scanParts(this.#columns, where)) {
      const passageAt = passageReader(batch, this.#options.layout)
      yield* this.#slices(part, rows, (i, row) => ({ row, passage: passageAt(i) }))
    }
  }

  async rowIds(): Promise<Float64Array> {
    const parts = await Promise.all(this.#parts.map((part) => this.#reading(() => part.allRows())))
    const ids = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const [number, rows] of parts.entries()) for (const row of rows) ids[at++] = number * ROWS_OF_PART + row
    return ids.sort()
  }

  async *rows(): AsyncGenerator<RowOfPassage[]> {
    for await (const { part, batch, rows } of this.#scanParts([...ID_COLUMNS, 'project_id'])) {
      const idOf = idReader(batch)
      const projects = batch.getChild('project_id') as Vector
      const make = (i: number, row: bigint): RowOfPassage => ({
        row,
        id: idOf(i).id,
        projectId: projects.get(i) as string,
      })
      yield* this.#slices(part, rows, make)
    }
  }

  async rowsWithPhrases(rows: readonly bigint[], phrases: PhraseFilter): Promise<bigint[]> {
    const condition = phrasesToSql(phrases)
    const found: bigint[] = []
    // One query after another: LanceDB already uses several cores for one.
    for (const [part, own] of this.#byPart(rows)) {
      for (let at = 0; at < own.length; at += CHECKED_ROWS) {
        const some = own.slice(at, at + CHECKED_ROWS)
        for (const row of await this.#patiently(() => part.meeting(some, condition))) found.push(this.#rowOf(part, row))
      }
    }
    return found
  }

  async count(): Promise<number> {
    return this.#parts.reduce((sum, part) => sum + part.rows, 0)
  }

  optimize(): Promise<void> {
    this.#optimizing ??= guarded(() => this.#optimizeParts()).finally(() => {
      this.#optimizing = null
      this.#checksums?.changed()
      this.#optimizeLater()
    })
    return this.#optimizing
  }

  async check(): Promise<TableHealth> {
    try {
      // All parts are in the same object store, and a damaged part is noticed when it is read.
      for (const part of this.#openNew === null ? this.#parts : this.#parts.slice(-1)) await this.#patiently(() => part.answers())
      const passages = await this.count()
      return { ok: true, message: countOf(passages, 'passage'), passages }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the index does not answer')
      const { code, message } = readFailure(error)
      return { ok: false, isUnavailable: STORE_FAILURES.has(code), message, passages: null }
    }
  }

  async verify(signal?: AbortSignal): Promise<void> {
    const damaged: bigint[] = []
    for (const part of this.#parts) await this.#reading(() => part.readVersions())
    for (const part of this.#parts) {
      const rows = await this.#reading(() => part.allRows())
      for (let at = 0; at < rows.length; at += VERIFIED_ROWS) {
        signal?.throwIfAborted()
        const began = performance.now()
        for (const { batch, rows: read } of await this.#reading(() =>
          part.read(rows.slice(at, at + VERIFIED_ROWS), this.#columns),
        )) {
          const isIntact = intactReader(batch)
          for (const [i, row] of read) if (!isIntact(i)) damaged.push(this.#rowOf(part, row))
        }
        await sleep(performance.now() - began)
      }
    }
    if (damaged.length > 0) throw new DamagedTexts(damaged)
  }

  async recordChecksums(): Promise<void> {
    // An object store verifies the objects itself.
    if (this.#openNew !== null) return
    this.#checksums = await ChecksumRecorder.start(() => this.#parts.flatMap(({ files }) => files ?? []), this.#options.log)
  }

  async damagedFiles(onRead: OnRead = () => {}): Promise<DamagedFile[]> {
    const found: DamagedFile[] = []
    for (const part of this.#parts)
      for (const { file, rows } of await this.#reading(() => part.damagedFiles(onRead))) {
        const own = rows?.map((row) => this.#rowOf(part, row)) ?? null
        found.push({ file: join(basename(part.files!.folder), file), rows: own })
      }
    return found
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#patience?.close()
    // A call of LanceDB can't be cancelled. A compaction in progress ends within seconds, and no other one begins. Who asked for it
    // hears of its failure.
    await this.#optimizing?.catch(() => {})
    await Promise.allSettled(this.#parts.map((part) => part.close()))
    await this.#checksums?.stop()
    this.#connection.close()
  }

  get #columns(): string[] {
    return tableSchema(this.#options.layout).fields.map(({ name }) => name)
  }

  #partWithRoom(): Part | undefined {
    const { partRows = PART_ROWS } = this.#options
    return this.#parts.find((part) => !part.isOptimizing && part.rows < partRows)
  }

  async #createPart(): Promise<Part> {
    this.#newPart ??= this.#addPart(this.#parts.length)
      .then((part) => {
        this.#parts.push(part)
        return part
      })
      .finally(() => (this.#newPart = null))
    return this.#newPart
  }

  async #refreshParts(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.refresh()))
    this.#parts.push(...(await this.#openNew!(this.#parts.length)))
  }

  #rowOf(part: Part, row: number): bigint {
    return BigInt(this.#parts.indexOf(part) * ROWS_OF_PART + row)
  }

  /** Groups rows by part. Returns each part with its own row IDs. */
  #byPart(rows: readonly bigint[]): [Part, number[]][] {
    const byNumber = Map.groupBy(rows, (row) => Math.floor(Number(row) / ROWS_OF_PART))
    return [...byNumber].flatMap(([number, own]) => {
      const part = this.#parts[number]
      return part === undefined ? [] : [[part, own.map((row) => Number(row) % ROWS_OF_PART)] satisfies [Part, number[]]]
    })
  }

  /** Like `#reading`, for a read that a search waits for. */
  #patiently<T>(work: () => Promise<T>): Promise<T> {
    const patience = this.#patience
    return this.#reading(patience === null ? work : () => patience.run(work))
  }

  /** Tries twice: a compaction may have deleted files that the first attempt was reading. */
  async #reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (first) {
      const failure = indexFailure(first)
      if (this.#isClosed || STORE_FAILURES.has(failure.code)) throw failure
      await this.refresh()
      return await work().catch((error: unknown) => {
        throw this.#isClosed ? indexFailure(error) : readFailure(error)
      })
    }
  }

  async *#scanParts(columns: string[], where?: string): AsyncGenerator<PartBatch & { part: Part }> {
    try {
      for (const part of this.#parts) for await (const batch of part.scan(columns, where)) yield { part, ...batch }
    } catch (error) {
      throw this.#isClosed ? indexFailure(error) : readFailure(error)
    }
  }

  /** Yields a few rows at a time, because turning many rows into objects would block the thread. */
  *#slices<T>(part: Part, rows: PartBatch['rows'], make: (i: number, row: bigint) => T): Generator<T[]> {
    for (let at = 0; at < rows.length; at += SCAN_ROWS)
      yield rows.slice(at, at + SCAN_ROWS).map(([i, row]) => make(i, this.#rowOf(part, row)))
  }

  /** Goes on with the other parts when one part fails, and rejects with the first failure at the end. */
  async #optimizeParts(): Promise<void> {
    const { clock, log, keepVersionsMs = KEEP_VERSIONS_MS } = this.#options
    const started = performance.now()
    let compacted = 0
    const failures: unknown[] = []
    for (const part of this.#parts) {
      if (this.#isClosed) return
      try {
        if (await part.optimize(clock.now(), keepVersionsMs)) compacted++
      } catch (error) {
        failures.push(error)
      }
    }
    log.debug({ compacted, parts: this.#parts.length, took_ms: Math.round(performance.now() - started) }, 'index optimized')
    if (failures.length > 0) throw failures[0]
  }

  /** Runs `optimize` again when no query reads replaced files any more, so that it deletes them. */
  #optimizeLater(): void {
    const { log, keepVersionsMs = KEEP_VERSIONS_MS } = this.#options
    clearTimeout(this.#timer)
    if (this.#isClosed || !this.#parts.some((part) => part.isDueLater)) return
    this.#timer = setTimeout(() => {
      this.optimize().catch((error: unknown) => log.warn({ err: error }, 'the index could not be optimised; trying again later'))
    }, keepVersionsMs)
    this.#timer.unref()
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw indexFailure(error)
  }
}

/** Hashing takes at most this share of the time. New files are small; only an index whose list of hashes was lost takes long. */
const MAX_SHARE = 1 / 4
/** How long to wait after a commit. A burst of commits shares one run, because each commit writes another manifest. */
const PAUSE_MS = 1_000
/** How many bytes to hash while the index is closing. The next start hashes the rest. */
const CLOSING_BYTES = 64 * 1024 * 1024

/** Hashes the files of a table in the background, soon after they were written. */
class ChecksumRecorder {
  readonly #parts: () => readonly PartFiles[]
  readonly #log: Logger
  readonly #recording: BackgroundTask
  readonly #closing = new AbortController()
  /** Null while the index is open. */
  #bytesLeft: number | null = null

  private constructor(parts: () => readonly PartFiles[], log: Logger) {
    this.#parts = parts
    this.#log = log
    const onFailure = (error: unknown) =>
      log.warn({ err: error }, 'checksums of the index could not be recorded; trying again later')
    const work = async () => {
      await this.#pause(PAUSE_MS)
      await this.#record()
    }
    this.#recording = new BackgroundTask({ work, onFailure })
  }

  static async start(parts: () => readonly PartFiles[], log: Logger): Promise<ChecksumRecorder> {
    const recorder = new ChecksumRecorder(parts, log)
    for (const files of parts()) await files.loadChecksums()
    recorder.changed()
    return recorder
  }

  /** Call this after files were written. */
  changed(): void {
    this.#recording.start()
  }

  /** Also hashes the last files, unless they are large. Never rejects. */
  async stop(): Promise<void> {
    this.#bytesLeft = CLOSING_BYTES
    this.#closing.abort()
    await this.#recording.stop()
    await this.#record().catch((error: unknown) => this.#log.debug({ err: error }, 'the next start records the other checksums'))
  }

  async #record(): Promise<void> {
    let at = performance.now()
    const onRead = async (bytes: number) => {
      if (this.#bytesLeft === null) await this.#pause((performance.now() - at) * (1 / MAX_SHARE - 1))
      else if ((this.#bytesLeft -= bytes) < 0) throw new Error('the index is closing')
      at = performance.now()
    }
    for (const files of this.#parts()) await files.updateChecksums(onRead)
  }

  /** Ends early when the index closes. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {})
  }
}

/** How long a read may take. A read of a few texts takes milliseconds, and a search waits for it. */
const READ_MS = 8_000

/**
 * Limits how long reads wait for an object store, because calls of LanceDB can't be cancelled. After a read that took too long, further reads fail
 * almost at once, until the store answers again. Throws `store_unavailable`.
 */
class StorePatience {
  readonly #breaker: Breaker
  readonly #readMs: number

  /** `probe` makes a small request. */
  constructor(probe: () => Promise<void>, readMs = READ_MS) {
    this.#breaker = new Breaker({ probe })
    this.#readMs = readMs
  }

  async run<T>(read: () => Promise<T>): Promise<T> {
    await this.#breaker.pass().catch((error: unknown) => {
      throw error instanceof BreakerOpen ? storeUnavailable(error) : error
    })
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      this.#breaker.timedOut()
      late.reject(storeUnavailable(new Error(`no answer within ${this.#readMs / 1000} s`)))
    }, this.#readMs)
    try {
      const result = await Promise.race([read(), late.promise])
      this.#breaker.answered()
      return result
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#breaker.close()
  }
}
