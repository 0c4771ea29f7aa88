import type { WriterLeases } from '../../src/index/shared-index-store.ts'

/** Gives leases to the writers of one index. `next` returns the leases of another process. A newer lease does not end an earlier one. */
export function createWriterLeases(): { next: () => WriterLeases } {
  let fence = 0
  return {
    next() {
      let own: { fence: number } | null = null
      return {
        current: async () => (own ??= { fence: ++fence }),
        drop() {
          own = null
        },
      }
    },
  }
}
