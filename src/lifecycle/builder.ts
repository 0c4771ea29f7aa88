import { setTimeout as sleep } from 'node:timers/promises'
import { isDocsearchError } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import { isDamaged } from '../index/segments/failures.ts'
import type { Records } from '../records/records.ts'
import { IndexFill, type FillParts } from './fill.ts'
import { type Lifecycle, type OpenIndex, whileCurrent } from './lifecycle.ts'
import { reconcileIndex } from './reconcile-index.ts'

/** The pause before the next try to switch, when the switch has to wait for uploads under way. */
const SWITCH_AGAIN_MS = 500
const AFTER_FAILURE_MS = 10_000

export interface BuilderParts extends FillParts {
  records: Pick<Records, 'indexes' | 'documents' | 'queue'>
  lifecycle: Pick<Lifecycle, 'building' | 'switchOver' | 'checkVectors' | 'restartBuilding' | 'onChange' | 'waitFor'>
  /** True while uploads wait for something outside. The switch then doesn't wait for documents that are being replaced. */
  areUploadsStuck: () => boolean
  /** Aborted by `stop`. `retries` has to end with it. */
  stopping: AbortController
}

/**
 * `waiting` until there is an index to build; `filling` it; `switching` to it; `failed`, until the pause after a failure is over. `stopped` is
 * final.
 */
export type BuilderState = 'waiting' | 'filling' | 'switching' | 'failed' | 'stopped'

/**
 * Fills the index that is being built, and switches to it when it is complete. What is left to do is never stored: it is what the records have
 * ready and this index does not have. So a crash, an upload, a replacement or a deletion needs no handling of its own.
 */
export class Builder {
  #state: BuilderState = 'waiting'
  #failure: string | null = null
  #running: Promise<void> = Promise.resolve()
  readonly #parts: BuilderParts

  constructor(parts: BuilderParts) {
    this.#parts = parts
  }

  get state(): BuilderState {
    return this.#state
  }

  /** Why building waits; null when it does not. */
  reason(): string | null {
    return this.#parts.retries.reason() ?? this.#failure
  }

  start(): void {
    const { stopping, log } = this.#parts
    this.#running = this.#run()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'building the new index has stopped until the next start')
      })
      .finally(() => (this.#state = 'stopped'))
  }

  async stop(): Promise<void> {
    this.#parts.stopping.abort(new Error('the daemon is stopping'))
    await this.#running
  }

  async #run(): Promise<void> {
    const { lifecycle, stopping } = this.#parts
    while (!stopping.signal.aborted) {
      this.#state = 'waiting'
      const target = await lifecycle.waitFor(() => lifecycle.building(), stopping.signal)
      const isCurrent = () => lifecycle.building()?.record.id === target.record.id
      await whileCurrent(lifecycle, { isCurrent, signal: stopping.signal }, (signal) => this.#complete(target, signal))
    }
  }

  async #complete(target: OpenIndex, signal: AbortSignal): Promise<void> {
    try {
      await this.#build(target, signal)
      this.#failure = null
    } catch (error) {
      if (!signal.aborted) await this.#recoverFrom(error, target, signal)
    }
  }

  async #build(target: OpenIndex, signal: AbortSignal): Promise<void> {
    const { lifecycle, exclusive, areUploadsStuck } = this.#parts
    this.#state = 'filling'
    killPoint('build')
    // If the model has changed, its vectors can't be compared with those that an earlier start wrote to the index.
    await untilAborted(lifecycle.checkVectors(), signal)
    const present = await exclusive(() => this.#reconcile(target))
    const fill = new IndexFill(this.#parts, target, present)
    for (;;) {
      this.#state = 'filling'
      if ((await fill.addMissing(signal)) > 0) continue
      await fill.optimise()
      killPoint('whole')
      this.#state = 'switching'
      if (await exclusive(() => lifecycle.switchOver({ waitForReplaced: !areUploadsStuck() }))) return
      await pause(SWITCH_AGAIN_MS, signal)
    }
  }

  #reconcile({ record, index }: OpenIndex): Promise<Set<string>> {
    const { indexes, queue } = this.#parts.records
    return reconcileIndex(index, {
      expected: () => indexes.contents(record.id),
      onMissing: (ids) => indexes.forget(record.id, ids),
      unknown: (ids) => queue.unknown(ids),
    })
  }

  async #recoverFrom(error: unknown, target: OpenIndex, signal: AbortSignal): Promise<void> {
    const { lifecycle, log } = this.#parts
    let failure = error
    if (await isDamaged(error, target.index)) {
      try {
        return await lifecycle.restartBuilding(target.record.id, 'its files were damaged')
      } catch (cause) {
        failure = cause
      }
    }
    this.#state = 'failed'
    log.error({ err: failure, embedder: target.embedder.name }, 'building the new index failed; trying again')
    this.#failure = isDocsearchError(failure) ? failure.message : 'Internal error. See the server log.'
    await pause(AFTER_FAILURE_MS, signal)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    // Aborted: the caller looks at the signal.
  })
}

/** Waits for work that cannot be aborted, but not after the signal aborts. Throws the reason of the signal. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve(), { once: true })
  await Promise.race([work, aborted])
  signal.throwIfAborted()
}
