import { BackgroundTask } from '../core/background-task.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { PassageTable } from './passage-table.ts'
import { DamagedTexts } from './segments/failures.ts'

/**
 * Notices a damaged table. LanceDB has no checksums and its errors don't say what was wrong. So a read that fails is only a suspicion, and the
 * watch then reads the whole table. Damage is final: the index has to be built again. If only some texts don't match their hashes, their documents
 * are indexed again.
 */
export class TableWatch {
  #damage: Error | null = null
  readonly #table: Pick<PassageTable, 'verify'>
  readonly #log: Logger
  readonly #listeners = new Set<() => void>()
  #onReadable: (damagedTexts: readonly bigint[]) => void = () => {}
  readonly #closing = new AbortController()
  readonly #verifying: BackgroundTask

  constructor(table: Pick<PassageTable, 'verify'>, log: Logger) {
    this.#table = table
    this.#log = log
    this.#verifying = new BackgroundTask({
      work: () => this.#verify(),
      onFailure: (error) => log.warn({ err: error }, 'the texts of the index could not be verified; trying again later'),
    })
  }

  /** Why the table can't be used any more. */
  get damage(): Error | null {
    return this.#damage
  }

  /** Calls `listener` once the table is known to be damaged, and after `announce`. Returns a function that removes the listener. */
  onDamage(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls `listener` when the whole table could be read, with the rows whose texts don't match their hashes. */
  onReadable(listener: (damagedTexts: readonly bigint[]) => void): void {
    this.#onReadable = listener
  }

  /** Calls the listeners of `onDamage`, because documents were removed from the index and have to be indexed again. */
  announce(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Reads the whole table in the background. */
  verify(): void {
    if (this.#damage === null) this.#verifying.start()
  }

  noteDamage(damage: Error): void {
    if (this.#damage !== null || this.#closing.signal.aborted) return
    this.#damage = damage
    this.#log.error({ err: damage }, 'the texts of the index are damaged')
    this.announce()
  }

  /** Resolves when the table is no longer read. */
  stop(): Promise<void> {
    this.#closing.abort(new Error('the index is closing'))
    return this.#verifying.stop()
  }

  async #verify(): Promise<void> {
    try {
      await this.#table.verify(this.#closing.signal)
      this.#onReadable([])
    } catch (error) {
      if (error instanceof DamagedTexts) return this.#onReadable(error.rows)
      if (!isDocsearchError(error, 'index_corrupt')) throw error
      this.noteDamage(error)
    }
  }
}
