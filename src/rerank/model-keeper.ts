import type { Logger } from '../core/logger.ts'
import type { RerankModelFailure } from '../core/model.ts'
import { type RerankModel, RerankModelError } from './rerank-model.ts'

export interface KeeperOptions {
  /** Finds the model and tests it. Null when there is none and the settings name none. Throws RerankModelError. */
  find(signal: AbortSignal): Promise<RerankModel | null>
  log: Logger
  /** Milliseconds the start waits for the first test. A test that takes longer, because it loads a model, goes on in the background. */
  startMs?: number
  retry?: Retry
}

/** Pauses between tests, in milliseconds. */
export interface Retry {
  firstMs: number
  maxMs: number
  /** After a model that answers but does not rerank: only another model under its name would help. */
  unsuitableMs: number
}

type ModelState =
  /** The first test has not ended. */
  | { is: 'testing' }
  /** `since` is a time of `performance.now()`. */
  | { is: 'ready'; model: RerankModel; since: number }
  /** There is no model, and the settings name none. */
  | { is: 'absent' }
  | { is: 'failed'; code: RerankModelFailure; message: string }

const RETRY: Retry = { firstMs: 1_000, maxMs: 60_000, unsuitableMs: 10 * 60_000 }
const START_MS = 3_000

/**
 * Keeps a tested model ready. A model that fails is set aside at once, so that no search waits for it again, and is tested in
 * the background after growing pauses. Searches in between do without it.
 */
export class ModelKeeper {
  private readonly options: KeeperOptions
  private readonly retry: Retry
  private readonly closing = new AbortController()
  private state: ModelState = { is: 'testing' }
  private pauseMs: number
  private timer: NodeJS.Timeout | undefined

  /** Starts the first test and waits for it, at most `startMs`. */
  static async start(options: KeeperOptions): Promise<ModelKeeper> {
    const keeper = new ModelKeeper(options)
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, options.startMs ?? START_MS)
    await Promise.race([keeper.test(), timeout.promise])
    clearTimeout(timer)
    return keeper
  }

  private constructor(options: KeeperOptions) {
    this.options = options
    this.retry = options.retry ?? RETRY
    this.pauseMs = this.retry.firstMs
  }

  /** Returns the model that can be used now, or null. */
  current(): RerankModel | null {
    return this.state.is === 'ready' ? this.state.model : null
  }

  /** Says why no model can be used, when the settings ask for one. */
  reason(): string | null {
    return this.problem()?.message ?? null
  }

  problem(): { code: RerankModelFailure | 'reranker_testing'; message: string } | null {
    if (this.state.is === 'testing') return { code: 'reranker_testing', message: 'The reranker is being tested.' }
    return this.state.is === 'failed' ? this.state : null
  }

  /** Sets a model aside until it has passed its test again. */
  failed(model: RerankModel, error: RerankModelError): void {
    // Several searches can meet the same failure: only the first sets the model aside.
    if (this.current() === model) this.setAside(error)
  }

  close(): void {
    this.closing.abort()
    clearTimeout(this.timer)
  }

  private async test(): Promise<void> {
    try {
      const model = await this.options.find(this.closing.signal)
      if (model === null) {
        this.state = { is: 'absent' }
        // The operator may install a model at any time.
        this.testAfter(this.retry.maxMs)
        return
      }
      if (model.name !== this.current()?.name) this.options.log.info({ model: model.name }, 'reranker found and tested')
      this.state = { is: 'ready', model, since: performance.now() }
    } catch (error) {
      if (!this.closing.signal.aborted) this.setAside(error)
    }
  }

  private setAside(error: unknown): void {
    const { log } = this.options
    const isKnown = error instanceof RerankModelError
    if (!isKnown) log.error({ err: error }, 'the reranker could not be tested')
    const message = isKnown ? error.message : 'The reranker could not be tested.'
    const code = isKnown ? error.code : 'reranker_unsuitable'
    if (message !== this.reason()) log.warn({ err: error }, 'the reranker is not used')
    // The pauses go on growing for a model that passes its test and then fails every search.
    if (this.state.is === 'ready' && performance.now() - this.state.since > this.retry.maxMs) this.pauseMs = this.retry.firstMs
    this.state = { is: 'failed', code, message }
    this.testAfter(code === 'reranker_unsuitable' ? this.retry.unsuitableMs : this.pauseMs)
    this.pauseMs = Math.min(this.pauseMs * 2, this.retry.maxMs)
  }

  private testAfter(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.test(), ms)
    this.timer.unref()
  }
}
