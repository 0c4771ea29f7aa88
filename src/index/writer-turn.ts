import { isDocsearchError } from '../core/errors.ts'
import type { PassageTable } from './passage-table.ts'
import type { SegmentStore } from './segments/store/segment-store.ts'
import type { WriterLease } from './segments/store/shares.ts'

/** How this process gets the right to write an index that processes share. */
export interface WriterLeases {
  /**
   * Returns the lease that this process has for an index. If it has none, takes one, with a greater fence than every earlier lease of the index.
   * Called before each change, so it has to be quick while the lease lasts. Rejects while another process has the lease.
   */
  current(indexId: string): Promise<WriterLease>
  /** The lease can't be used any more. The next call of `current` has to return another one. */
  drop(indexId: string, lease: WriterLease): void
}

interface WriterTurnOptions {
  indexId: string
  store: Pick<SegmentStore, 'isWriter' | 'takeOver'>
  table: Pick<PassageTable, 'refresh'>
  leases: WriterLeases
  /** Called after this process has become the writer. */
  onTakeover: () => void
}

/** Makes this process the writer of a shared index before a change, if it is not yet. Use it for one change at a time. */
export class WriterTurn {
  readonly #options: WriterTurnOptions
  #lease: WriterLease | null = null

  constructor(options: WriterTurnOptions) {
    this.#options = options
  }

  /** Runs a change as the writer. Rejects with `writer_replaced` when another process has become the writer. */
  async run<T>(change: () => Promise<T>): Promise<T> {
    const { indexId, leases } = this.#options
    const lease = await leases.current(indexId)
    try {
      if (this.#lease?.fence !== lease.fence || !this.#options.store.isWriter) await this.#takeOver(lease)
      return await change()
    } catch (error) {
      // After its thread has ended, this process can't tell which of its commits have taken effect. Only a takeover can.
      if (isDocsearchError(error, 'writer_replaced') || !this.#options.store.isWriter) {
        this.#lease = null
        leases.drop(indexId, lease)
      }
      throw error
    }
  }

  async #takeOver(lease: WriterLease): Promise<void> {
    const { store, table, onTakeover } = this.#options
    await store.takeOver(lease)
    await table.refresh()
    this.#lease = lease
    onTakeover()
  }
}
