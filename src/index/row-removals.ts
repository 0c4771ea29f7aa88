import { BackgroundTask } from '../core/background-task.ts'
import type { Logger } from '../core/logger.ts'
import type { PassageTable } from './passage-table.ts'

const MAX_ROWS_AT_ONCE = 10_000

/**
 * Removes rows that no segment refers to any more, in the background. The next start finds and removes the rows that are left when the process
 * ends.
 */
export class RowRemovals {
  #rows: bigint[] = []
  #isStopped = false
  readonly #table: Pick<PassageTable, 'remove'>
  readonly #task: BackgroundTask

  constructor(table: Pick<PassageTable, 'remove'>, log: Logger) {
    this.#table = table
    this.#task = new BackgroundTask({
      work: () => this.#removeAll(),
      onFailure: (error) =>
        log.warn({ err: error, rows: this.#rows.length }, 'rows without a passage could not be removed; trying again later'),
    })
  }

  add(rows: Iterable<bigint>): void {
    for (const row of rows) this.#rows.push(row)
    if (this.#rows.length > 0) this.#task.start()
  }

  /** Returns the rows that are still there. */
  pending(): ReadonlySet<bigint> {
    return new Set(this.#rows)
  }

  /** Resolves when no row is left to remove, or when a removal failed. */
  idle(): Promise<void> {
    return this.#task.idle()
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return this.#task.stop()
  }

  async #removeAll(): Promise<void> {
    while (this.#rows.length > 0 && !this.#isStopped) {
      const rows = this.#rows.slice(0, MAX_ROWS_AT_ONCE)
      await this.#table.remove(rows)
      this.#rows = this.#rows.slice(rows.length)
    }
  }
}
