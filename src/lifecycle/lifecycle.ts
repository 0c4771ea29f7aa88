import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { UnrelatedSimilarity } from '../core/noise.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { PassageIndex, PassageIndexStore } from '../index/passage-index.ts'
import type { BuildSpeed, IndexProgress } from '../records/indexes.ts'
import type { IndexRecord, ProjectIds, Records } from '../records/records.ts'
import type { ModelTest } from './model-test.ts'

/** Which index is active, for a process that searches. It may leave the writing of indexes to another process. */
export interface IndexReading {
  /** The index that answers searches. Null until an embedder is found, for example while the configured Ollama has never answered. */
  active(): OpenIndex | null
  /** The index that is filled to replace the active one. Null when there is none. */
  building(): Pick<OpenIndex, 'record'> | null
  /** Every open index except the active one. */
  inactive(): readonly Pick<OpenIndex, 'record' | 'index'>[]
  /** The state of every index in the records, open or not, with the numbers of some projects or of the whole instance. */
  indexes(projects?: ProjectIds): Promise<IndexState[]>
  /**
   * Chooses another embedder (`builtin`, `ollama:MODEL`). Starts to build its index, or resumes a retired one, and cancels any other index that is
   * being built. The choice outlasts a restart. Throws `model_unusable` with the reason.
   */
  use(embedder: string): Promise<UseOutcome>
  /**
   * Embeds samples with an embedder, and checks the vectors. Changes nothing. Throws `model_unusable`, and what the embedder throws. Aborts with the
   * signal.
   */
  test(embedder: string, signal: AbortSignal): Promise<ModelTest>
  /** Drops the retired or building index of this embedder. Throws `model_in_use`, `index_not_found`. */
  remove(embedder: string): Promise<void>
  /** The chosen embedder, and why, in words for `serve`'s output and for health. */
  choice(): Choice
  /** The state of embedder and index for health, with the numbers of some projects or of the whole instance. Never throws. */
  status(projects?: ProjectIds): Promise<{ embedder: LifecycleCheck; index: LifecycleCheck }>
  /** Calls the listener whenever `active()` or `building()` has changed. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void
  /** Returns the first value other than null that `find` returns, now or after a change. Rejects with the signal's reason. */
  waitFor<T>(find: () => T | null, signal: AbortSignal): Promise<T>
  /** Makes sure that `active` returns the index that is active now. A process that writes indexes itself lacks this method. */
  catchUp?(): Promise<void>
  close(): Promise<void>
}

/**
 * Decides which index is active, building or retired, and switches between them. An index is only used with the embedder that made it, so
 * `active` and `building` return both as one object: a caller that reads it once always has a pair that belongs together.
 */
export interface Lifecycle extends IndexReading {
  /** Deletions have to reach this index too (see `switchOver`). */
  building(): OpenIndex | null
  use(embedder: string): Promise<UseOutcome & { state: 'in_use' | 'building' }>
  /**
   * Makes the building index active, in one moment. Returns false while that index lacks documents, and true also when nothing is being built.
   * Nothing may write to either index meanwhile.
   */
  switchOver(options: { waitForReplaced: boolean }): Promise<boolean>
  /** Returns the id of the index that is being built, and how fast it is built. Null while no index is being built. */
  buildSpeed(): Promise<({ indexId: string } & BuildSpeed) | null>
  /** Replaces the active index by an empty one, because its files are damaged, and queues every document. */
  rebuildActive(reason: string): Promise<void>
  /**
   * Checks the vectors of the models of the active and the building index, and starts the building index again if its model now returns other
   * vectors. Waits at most 15 s for the models. Never rejects.
   */
  checkVectors(): Promise<void>
  /**
   * Starts the index with this ID again from nothing if it is still being built, because its files are damaged or its model has changed. Throws
   * `model_unusable`, and then changes nothing.
   */
  restartBuilding(id: string, reason: string): Promise<void>
}

/** An open index and its embedder. While that embedder can't be used, `embedder` is a placeholder with `canEmbed` false: keywords still find. */
export interface OpenIndex {
  record: IndexRecord
  embedder: Embedder
  index: PassageIndex
  /** How near the model puts unrelated texts. Null until it is measured, and for an embedder that knows it itself. */
  unrelatedSimilarity: UnrelatedSimilarity | null
}

export interface IndexState {
  record: IndexRecord
  /** Null when the index is not open or can't be read. */
  passages: number | null
  /** Null if the numbers are about some projects only. */
  sizeBytes: number | null
  /** How much the index has of what it needs. Null for the active index. */
  progress: BuildProgress | null
}

export interface BuildProgress extends IndexProgress {
  /** How fast the model embeds. Null while nothing is measured, and if the numbers are about some projects only. */
  tokensPerSecond: number | null
  /** By the speed since this process began to build. Null like `tokensPerSecond`, and for an index that is not being built. */
  secondsLeft: number | null
}

/** `requested`: the process that writes the index has not answered yet. */
export type ModelUseState = 'in_use' | 'building' | 'requested'

export interface UseOutcome {
  /** The embedder's full name: `ollama:embeddinggemma`. */
  embedder: string
  state: ModelUseState
  /** A sentence the caller should also know, if any. */
  notice: string | null
  /** True if the same request was already waiting for its answer. */
  isRepeated?: boolean
}

export interface Choice {
  embedder: string
  reason: string
}

export interface LifecycleCheck {
  status: 'ok' | 'degraded' | 'unavailable'
  message: string
  [fact: string]: unknown
}

/** What the existing index was made with, so that the setting `auto` keeps that embedder. */
export interface ExistingIndex {
  embeddingModel: string
  fingerprint: string
}

/** Sets an embedder up. `named` is the embedder of an index or of the user's choice; undefined leaves it to the configuration. */
export type ChooseEmbedder = (
  existing: ExistingIndex | null,
  named?: string,
) => Promise<{
  /** Null while the embedder can't be used. */
  embedder: Embedder | null
  reason: string
}>

export interface LifecycleOptions {
  records: Pick<Records, 'indexes' | 'queue'>
  indexStore: PassageIndexStore
  chooseEmbedder: ChooseEmbedder
  /** The embedder that the configuration names; it beats the one chosen while running. Null for `auto`. */
  pinned?: string | null
  /** How often to compare the vectors of the canary texts, in addition to the comparison at each start. */
  checkEveryMs?: number
  /** How often an instance without documents looks for a model on Ollama. */
  lookEveryMs?: number
  log: Logger
}

const NO_SEARCH = 'This process does not search.'

/** The lifecycle of a process that answers no searches. Other code writes indexes while the process has the lease. */
export function withoutIndexes(): IndexReading {
  const refuse = async (): Promise<never> => {
    throw new DocsearchError('unavailable', NO_SEARCH)
  }
  return {
    active: () => null,
    building: () => null,
    inactive: () => [],
    indexes: async () => [],
    use: refuse,
    test: refuse,
    remove: refuse,
    choice: () => ({ embedder: 'none', reason: NO_SEARCH }),
    status: async () => ({ embedder: { status: 'ok', message: NO_SEARCH }, index: { status: 'ok', message: NO_SEARCH } }),
    onChange: () => () => {},
    waitFor: refuse,
    close: async () => {},
  }
}

/** Tells listeners that the active or the building index changed. */
export class Changes {
  readonly #listeners = new Set<() => void>()

  /** Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(): void {
    for (const listener of this.#listeners) listener()
  }

  /**
   * Returns the first value other than null that `find` returns, now or after a change. Rejects with the signal's reason. A value that is there
   * already is returned even when the signal is aborted, because a daemon that stops still finishes the documents in progress.
   */
  async waitFor<T>(find: () => T | null, signal: AbortSignal): Promise<T> {
    const now = find()
    if (now !== null) return now
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const onAbort = () => reject(signal.reason as Error)
    const unsubscribe = this.onChange(() => {
      const found = find()
      if (found !== null) resolve(found)
    })
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await promise
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', onAbort)
    }
  }
}

/** The index that a piece of work was for has been replaced. Its document goes back into the queue. */
export class IndexChanged extends Error {}

/**
 * Runs `work` with a signal that aborts with `IndexChanged` when `isCurrent` is false, now or after a change, and with the reason of `signal` when that
 * aborts.
 */
export async function whileCurrent<T>(
  lifecycle: Pick<Lifecycle, 'onChange'>,
  { isCurrent, signal }: { isCurrent: () => boolean; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const changed = new AbortController()
  const check = () => {
    if (!isCurrent()) changed.abort(new IndexChanged())
  }
  const unsubscribe = lifecycle.onChange(check)
  check()
  try {
    return await work(AbortSignal.any([signal, changed.signal]))
  } finally {
    unsubscribe()
  }
}
