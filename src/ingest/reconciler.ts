import { basename, join } from 'node:path'
import { isDamaged } from '../index/segments/failures.ts'
import { reconcileIndex } from '../lifecycle/reconcile-index.ts'
import type { IngestOptions } from './ingest.ts'

export interface ReconcilerParts extends Pick<IngestOptions, 'records' | 'lifecycle' | 'log'> {
  /** Runs `work` while nothing else writes to an index. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
}

/** Makes the active index and the records agree. */
export class Reconciler {
  /** A deletion that waits for its turn. It takes along every deletion that comes before it begins. */
  #queued: Promise<void> | null = null
  readonly #parts: ReconcilerParts

  constructor(parts: ReconcilerParts) {
    this.#parts = parts
  }

  /** Deletes the passages of deleted and failed documents from every open index. Rejects when it could not; call it again later. */
  forget(): Promise<void> {
    this.#queued ??= this.#parts.exclusive(() => {
      this.#queued = null
      return this.#forgetNow()
    })
    return this.#queued
  }

  /** Queues the documents that the active index lacks, and deletes those it should not have. Rebuilds a damaged index. */
  reconcile(): Promise<void> {
    const { exclusive, lifecycle } = this.#parts
    return exclusive(async () => {
      try {
        await this.#reconcileNow()
      } catch (error) {
        if (!(await isDamaged(error))) throw error
        await lifecycle.rebuildActive('its files were damaged')
      }
    })
  }

  /** See `Ingest.repairIndex`. */
  async repair({
    isTableDamaged,
    segmentFiles,
  }: {
    isTableDamaged: boolean
    segmentFiles: readonly string[]
  }): Promise<string[]> {
    const { exclusive, lifecycle } = this.#parts
    const repaired = isTableDamaged ? [...segmentFiles] : await this.#leaveOut(segmentFiles)
    if (isTableDamaged) await exclusive(() => lifecycle.rebuildActive('its files were damaged'))
    await this.reconcile()
    return repaired
  }

  /** See `Ingest.scrubIndex`. */
  async scrub(onRead: () => Promise<void>): Promise<void> {
    const { exclusive, lifecycle, log, records } = this.#parts
    const active = lifecycle.active()
    if (active === null) return
    const damaged = await active.index.damagedFiles(onRead)
    for (const { file, documents } of damaged)
      log.error(
        { file: join('lance', file), documents: documents?.length ?? null },
        'a file of the index differs from its checksum; indexing its documents again',
      )
    await records.queue.requeueMany(damaged.flatMap(({ documents }) => documents ?? []))
    if (damaged.every(({ documents }) => documents !== null)) return
    await exclusive(async () => {
      if (lifecycle.active() === active) await lifecycle.rebuildActive('its files were damaged')
    })
  }

  async #leaveOut(files: readonly string[]): Promise<string[]> {
    const active = this.#parts.lifecycle.active()
    const left: string[] = []
    for (const file of active === null ? [] : files) {
      const name = basename(file).split('.')[0]!
      const isThere = active!.index.segments().some(({ segments }) => segments.some((segment) => segment.name === name))
      if (!isThere) continue
      await active!.index.leaveOut(name)
      left.push(file)
    }
    return left
  }

  async #forgetNow(): Promise<void> {
    const { records, lifecycle } = this.#parts
    const active = lifecycle.active()
    const ids = await records.queue.tombstones()
    if (active === null || ids.length === 0) return
    for (const { index } of [active, ...lifecycle.inactive()]) await index.deleteDocuments(ids)
    await records.queue.clearTombstones(ids)
  }

  async #reconcileNow(): Promise<void> {
    const { lifecycle, log, records } = this.#parts
    const { queue } = records
    const active = lifecycle.active()
    if (active === null) return
    await this.#forgetNow()
    await reconcileIndex(active.index, {
      expected: () => queue.expected(),
      async onMissing(ids) {
        if (ids.length > 0) log.warn({ documents: ids.length }, 'the index lacks documents; queueing them again')
        await queue.requeueMany(ids)
      },
      unknown: (ids) => queue.unknown(ids),
    })
  }
}
