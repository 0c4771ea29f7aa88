import { BackgroundTask } from '../core/background-task.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Passage } from '../core/passage.ts'
import type { PassageTable } from './passage-table.ts'
import { DamagedTexts } from './segments/failures.ts'
import type { PhraseFilter } from '../text/phrase.ts'
import type { TableWatch } from './table-watch.ts'

/** If some rows can't be checked for phrases, this many rows are checked at a time, so that only few rows remain unchecked. */
const CHECKED_AGAIN = 100

interface PassageTextsOptions {
  table: Pick<PassageTable, 'read' | 'rowsWithPhrases'>
  watch: Pick<TableWatch, 'verify' | 'onReadable'>
  /** Removes the documents of rows with damaged texts from the index, so that they are indexed again. */
  removeDocuments: (rows: readonly bigint[]) => Promise<void>
  log: Logger
}

/** Reads texts of passages, and goes on without those that are damaged. */
export class PassageTexts {
  readonly #table: PassageTextsOptions['table']
  readonly #watch: PassageTextsOptions['watch']
  readonly #removing: BackgroundTask
  /** Rows whose texts don't match their hashes. */
  readonly #damaged = new Set<bigint>()
  #toRemove: bigint[] = []
  /** Rows that LanceDB could not read, until the watch has read the whole table. */
  readonly #unreadable = new Set<bigint>()

  constructor({ table, watch, removeDocuments, log }: PassageTextsOptions) {
    this.#table = table
    this.#watch = watch
    this.#removing = new BackgroundTask({
      work: async () => {
        const rows = [...this.#toRemove]
        await removeDocuments(rows)
        this.#toRemove = this.#toRemove.slice(rows.length)
      },
      onFailure: (error) => log.warn({ err: error }, 'documents with damaged texts could not be removed; trying again later'),
    })
    watch.onReadable((damaged) => {
      this.#unreadable.clear()
      if (damaged.length > 0) void this.#note(damaged)
    })
  }

  /** Returns passages by row. Rows that no longer exist or are damaged are missing from the map. Removes documents with damaged texts. */
  async read(rows: readonly bigint[]): Promise<Map<bigint, Passage>> {
    const wanted = rows.filter((row) => !this.areDamaged([row]))
    try {
      return await this.#table.read(wanted)
    } catch (error) {
      if (error instanceof DamagedTexts) {
        this.#watch.verify()
        await this.#note(error.rows)
        return this.read(wanted)
      }
      this.#suspect(error)
      return this.#readEach(wanted)
    }
  }

  /** Returns which of the rows have the phrases, without rows that can't be read. */
  async rowsWithPhrases(rows: readonly bigint[], phrases: PhraseFilter): Promise<bigint[]> {
    try {
      return await this.#table.rowsWithPhrases(rows, phrases)
    } catch (error) {
      this.#suspect(error)
    }
    const found: bigint[] = []
    for (let at = 0; at < rows.length; at += CHECKED_AGAIN) {
      const some = rows.slice(at, at + CHECKED_AGAIN)
      try {
        found.push(...(await this.#table.rowsWithPhrases(some, phrases)))
      } catch (error) {
        this.#suspect(error)
        for (const row of some) this.#unreadable.add(row)
      }
    }
    return found
  }

  /** Says whether the texts of some of these rows are damaged. */
  areDamaged(rows: readonly bigint[]): boolean {
    return rows.some((row) => this.#damaged.has(row) || this.#unreadable.has(row))
  }

  stop(): Promise<void> {
    return this.#removing.stop()
  }

  /** Throws the error again if it does not mean damage. Otherwise, has the whole table read. */
  #suspect(error: unknown): void {
    if (!isDocsearchError(error, 'index_corrupt')) throw error
    this.#watch.verify()
  }

  async #readEach(rows: readonly bigint[]): Promise<Map<bigint, Passage>> {
    const found = new Map<bigint, Passage>()
    for (const row of rows) {
      try {
        for (const [read, passage] of await this.#table.read([row])) found.set(read, passage)
      } catch (error) {
        if (error instanceof DamagedTexts) await this.#note(error.rows)
        else {
          this.#suspect(error)
          this.#unreadable.add(row)
        }
      }
    }
    return found
  }

  /** Resolves when the documents have been removed, or when that has failed. */
  async #note(rows: readonly bigint[]): Promise<void> {
    for (const row of rows) {
      if (this.#damaged.has(row)) continue
      this.#damaged.add(row)
      this.#toRemove.push(row)
    }
    this.#removing.start()
    await this.#removing.idle()
  }
}
