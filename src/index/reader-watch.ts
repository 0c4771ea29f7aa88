import type { SegmentStore } from './segments/store/segment-store.ts'
import type { TableWatch } from './table-watch.ts'

/**
 * Takes the place of a `TableWatch` in a process that only reads a shared index. It does not read the whole table when a read fails, because every
 * such process would do it, and none could repair anything. It tries unreadable rows again after the next commit.
 */
export class ReaderWatch implements Pick<TableWatch, 'verify' | 'onReadable' | 'onDamage' | 'announce' | 'damage' | 'stop'> {
  readonly damage = null
  readonly #store: Pick<SegmentStore, 'onChange'>
  #stopListening: () => void = () => {}

  constructor(store: Pick<SegmentStore, 'onChange'>) {
    this.#store = store
  }

  verify(): void {}

  announce(): void {}

  onDamage(): () => void {
    return () => {}
  }

  onReadable(listener: (damagedTexts: readonly bigint[]) => void): void {
    this.#stopListening = this.#store.onChange(() => listener([]))
  }

  async stop(): Promise<void> {
    this.#stopListening()
  }
}
