import { connect, MatchQuery, Session } from '@lancedb/lancedb'
import type { Connection, Table } from '@lancedb/lancedb'
import type { Schema } from 'apache-arrow'
import pLimit from 'p-limit'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import { MAX_PASSAGE_CHARS } from '../core/text-limits.ts'
import type { PassageHit, ChunkIndex, DocumentPassages, IndexHealth, Passage } from './chunk-index.ts'
import { corrupt, indexFailure, readFailure } from './failures.ts'
import { filterToSql, sqlIn, sqlText } from './filter.ts'
import { annIndex, ensureAnnIndex, ensureColumnIndexes } from './lance-indexes.ts'
import { answers, probe, readInventory } from './probe.ts'
import { HIT_COLUMNS, PASSAGE_COLUMNS, toHits, toPassages } from './rows.ts'
import { passageSchema, toArrow } from './schema.ts'

const MB = 1024n * 1024n
/** Old versions of the table stay this long, for queries that still read them. */
const KEEP_VERSIONS_MS = 5 * 60_000
/**
 * The full vectors of at least this many rows are compared after the ANN index has chosen, about 20 µs each: the index's own
 * distances are only estimates.
 */
const REFINE_ROWS = 200
/** SQL that is true for passages within the limit of this version. */
const HAS_LENGTH = `char_end - char_start <= ${MAX_PASSAGE_CHARS}`
const MIN_PROBES = 40
const MAX_PROBES = 1_000_000

export interface LanceTableOptions {
  folder: string
  name: string
  dimensions: number
  clock: Clock
  log: Logger
  /** Number of rows from which the ANN index is built. For tests, which can't fill thousands of rows. */
  annMinRows?: number
}

/** Opens or creates the table. Throws `index_corrupt` when its files can't be read or have another layout. */
export async function openLanceTable(options: LanceTableOptions): Promise<ChunkIndex> {
  const { folder, name, dimensions } = options
  const schema = passageSchema(dimensions)
  // Index cache and metadata cache. LanceDB's defaults, 6 GB and 1 GB, are more than the daemon may use.
  const connection = await connect(folder, { session: new Session(256n * MB, 64n * MB) }).catch((error) => {
    throw indexFailure(error)
  })
  try {
    const table = (await connection.tableNames()).includes(name)
      ? await openTable(connection, name, schema)
      : await connection.createEmptyTable(name, schema).catch((error) => {
          throw indexFailure(error)
        })
    await ensureColumnIndexes(table).catch((error) => {
      throw readFailure(error)
    })
    return new LanceTable(connection, table, schema, options)
  } catch (error) {
    connection.close()
    throw indexFailure(error)
  }
}

async function openTable(connection: Connection, name: string, schema: Schema): Promise<Table> {
  try {
    const table = await connection.openTable(name)
    const found = (await table.schema()).fields.map(String).join()
    if (found !== schema.fields.map(String).join())
      throw corrupt('The search index has another layout. It must be rebuilt from the documents.')
    await probe(table)
    return table
  } catch (error) {
    throw readFailure(error)
  }
}

class LanceTable implements ChunkIndex {
  private readonly connection: Connection
  private readonly table: Table
  private readonly schema: Schema
  private readonly options: LanceTableOptions
  /** LanceDB takes concurrent commits, but they conflict and retry. */
  private readonly write = pLimit(1)

  constructor(connection: Connection, table: Table, schema: Schema, options: LanceTableOptions) {
    this.connection = connection
    this.table = table
    this.schema = schema
    this.options = options
  }

  put(documents: readonly DocumentPassages[]): Promise<void> {
    return this.write(() => guarded(() => this.putNow(documents)))
  }

  deleteDocuments(documentIds: readonly string[]): Promise<void> {
    return this.write(() => guarded(() => this.deleteNow(documentIds)))
  }

  vectorSearch(vector: Float32Array, filter: SearchFilter, limit: number): Promise<PassageHit[]> {
    return guarded(async () => {
      const query = this.table
        .vectorSearch(vector)
        .column('vector')
        .distanceType('cosine')
        .where(filterToSql(filter))
        // Ignored without an ANN index. With a narrow filter, the search goes on past the nearest partitions until the limit is filled.
        .maximumNprobes(MAX_PROBES)
        .minimumNprobes(MIN_PROBES)
        .refineFactor(Math.max(1, Math.round(REFINE_ROWS / limit)))
        .select([...HIT_COLUMNS, '_distance'])
        .limit(limit)
      return toHits(await query.toArrow(), '_distance', (distance) => 1 - distance)
    })
  }

  keywordSearch(terms: readonly string[], filter: SearchFilter, limit: number): Promise<PassageHit[]> {
    return guarded(async () => {
      if (terms.length === 0) return []
      // A repeated term counts twice, as in BM25: people repeat what they mean (collection cisi: nDCG@10 .40 against .32).
      const query = this.table
        .query()
        .fullTextSearch(new MatchQuery(terms.join(' '), 'terms'))
        .where(filterToSql(filter))
        .select([...HIT_COLUMNS, '_score'])
        .limit(limit)
      return toHits(await query.toArrow(), '_score', (score) => score)
    })
  }

  passages(ownerId: string, passageIds: readonly string[]): Promise<Map<string, Passage>> {
    return guarded(async () => {
      if (passageIds.length === 0) return new Map()
      const where = (ids: readonly string[]) => `${sqlIn('id', ids)} AND owner_id = ${sqlText(ownerId)}`
      const found = await this.readPassages(`${where(passageIds)} AND ${HAS_LENGTH}`, passageIds.length)
      const others = passageIds.filter((id) => !found.has(id))
      if (others.length === 0) return found
      // LanceDB reads a whole text before it cuts it. So read the overlong texts of an earlier version one by one.
      const long = (await this.table.query().where(where(others)).select(['id']).limit(others.length).toArray()) as {
        id: string
      }[]
      for (const { id } of long) for (const [, passage] of await this.readPassages(where([id]), 1)) found.set(id, passage)
      return found
    })
  }

  async inventory(): Promise<Map<string, { version: number; chunks: number }>> {
    try {
      await probe(this.table)
      return await readInventory(this.table)
    } catch (error) {
      throw readFailure(error)
    }
  }

  countPassages(): Promise<number> {
    return guarded(() => this.table.countRows())
  }

  optimize(): Promise<void> {
    return this.write(() => guarded(() => this.optimizeNow()))
  }

  async check(): Promise<IndexHealth> {
    try {
      await answers(this.table)
      const passages = await this.table.countRows()
      return { ok: true, message: `${passages} passages`, passages, isApproximate: (await annIndex(this.table)) !== null }
    } catch (error) {
      this.options.log.warn({ err: error }, 'the index does not answer')
      return { ok: false, message: readFailure(error).message, passages: null, isApproximate: false }
    }
  }

  close(): Promise<void> {
    return this.write(async () => {
      this.table.close()
      this.connection.close()
    })
  }

  private async readPassages(where: string, limit: number): Promise<Map<string, Passage>> {
    return toPassages(
      await this.table
        .query()
        .where(where)
        .select({ ...PASSAGE_COLUMNS })
        .limit(limit)
        .toArrow(),
    )
  }

  private async putNow(documents: readonly DocumentPassages[]): Promise<void> {
    const added = documents.flatMap((document) => document.passages)
    const replaced = documents.filter((document) => !document.isNew).map((document) => document.documentId)
    if (added.length === 0) return this.deleteNow(replaced)
    const rows = toArrow(added, this.schema, this.options.dimensions)
    if (replaced.length === 0) await this.table.add(rows)
    else {
      await this.table
        .mergeInsert('id')
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .whenNotMatchedBySourceDelete({ where: sqlIn('document_id', replaced) })
        .execute(rows)
    }
  }

  private async deleteNow(documentIds: readonly string[]): Promise<void> {
    if (documentIds.length > 0) await this.table.delete(sqlIn('document_id', documentIds))
  }

  private async optimizeNow(): Promise<void> {
    const { clock, log, annMinRows } = this.options
    const started = performance.now()
    await ensureColumnIndexes(this.table)
    // `deleteUnverified` also removes the files of failed commits. That is safe, because no other process or task is committing now.
    await this.table.optimize({ cleanupOlderThan: new Date(clock.now().getTime() - KEEP_VERSIONS_MS), deleteUnverified: true })
    const ann = await ensureAnnIndex(this.table, annMinRows)
    log.debug({ ann, took_ms: Math.round(performance.now() - started) }, 'index optimized')
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw indexFailure(error)
  }
}
