import { translateDiskError } from '../../../core/disk-errors.ts'
import type { DocsearchError } from '../../../core/errors.ts'
import { type Calls, type Failure, Thread, type ThreadOptions, toError, toFailure } from '../../../core/thread.ts'
import { indexFailure } from '../failures.ts'

/** A thread of an index. Its calls reject with a DocsearchError: with `index_failed` when the thread ended or threw another error. */
export class IndexThread<C extends Calls<C>> {
  readonly #thread: Thread<C>

  /** `main` is the module that the thread runs. */
  constructor(main: URL, options: Pick<ThreadOptions, 'idleMs'> = {}) {
    // When the thread ends, the files that it opened have to stay open for other threads.
    this.#thread = new Thread(main, { ...options, trackUnmanagedFds: false })
  }

  get isRunning(): boolean {
    return this.#thread.isRunning
  }

  async call<K extends keyof C & string>(kind: K, request: C[K]['request']): Promise<C[K]['answer']> {
    try {
      return await this.#thread.call(kind, request)
    } catch (error) {
      throw toIndexError(error)
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

/** Returns an error as a part of an answer. */
export function asFailure(error: unknown): Failure {
  return toFailure(toIndexError(error))
}

/** Returns the error that a part of an answer describes. */
export function fromFailure(failure: Failure): DocsearchError {
  return toIndexError(toError(failure))
}

function toIndexError(error: unknown): DocsearchError {
  return indexFailure(translateDiskError(error))
}
