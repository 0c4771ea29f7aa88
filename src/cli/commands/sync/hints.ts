import { watch, type FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { reasonOf } from '../../../client/file-error.ts'

const QUIET_MS = 500
/** A folder that never falls quiet is looked at this often. */
const MAX_DELAY_MS = 10_000

/** Changes that no hint told of, for example on a network drive, are found this late. */
const WATCHED_MS = 10 * 60_000
/** Without hints, because the system has no watches left. */
export const UNWATCHED_MS = 30_000
/** Node does not say when it watches all subfolders, and tells nothing of what changes before. */
const STARTING_MS = 30_000
const WHILE_STARTING_MS = 5_000

/** Tells when something in a folder may have changed. A hint may be wrong, late or missing. */
export class FolderHints {
  readonly #folder: string
  readonly #onLost: (reason: string) => void
  #watcher: FSWatcher | null = null
  /** The inode of the folder that is watched: another folder may take its place. */
  #inode: number | null = null
  #watchedSince = 0
  #wasLost = false
  #isPending = false
  #wake: (() => void) | null = null

  /** `onLost` is called once, when the system can't watch the folder. */
  constructor(folder: string, onLost: (reason: string) => void) {
    this.#folder = folder
    this.#onLost = onLost
  }

  /** After how many milliseconds to look at the folder even without a hint. */
  get patienceMs(): number {
    if (this.#watcher === null) return UNWATCHED_MS
    return performance.now() - this.#watchedSince < STARTING_MS ? WHILE_STARTING_MS : WATCHED_MS
  }

  /** Starts to watch the folder, unless it is watched already. */
  async follow(): Promise<void> {
    const inode = await stat(this.#folder).then(
      ({ ino }) => ino,
      () => null,
    )
    if (inode === this.#inode && this.#watcher !== null) return
    this.#watcher?.close()
    this.#watcher = null
    this.#inode = inode
    if (inode === null) return
    try {
      this.#watcher = watch(this.#folder, { recursive: true, persistent: false })
      this.#watchedSince = performance.now()
      this.#watcher.on('change', () => this.#hint())
      this.#watcher.on('error', (error) => this.#lose(error))
    } catch (error) {
      this.#lose(error)
    }
  }

  /** Resolves after a hint, once the folder has been quiet for a moment; after `ms`; or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const end = Date.now() + ms
    await this.#sleep(ms, signal)
    const latest = Math.min(end, Date.now() + MAX_DELAY_MS)
    while (this.#isPending && !signal.aborted && Date.now() < latest) {
      this.#isPending = false
      await this.#sleep(QUIET_MS, signal, { isWokenByHints: false })
    }
    this.#isPending = false
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = null
  }

  #hint(): void {
    this.#isPending = true
    this.#wake?.()
  }

  #lose(error: unknown): void {
    this.#watcher?.close()
    this.#watcher = null
    if (!this.#wasLost) this.#onLost(reasonOf(error))
    this.#wasLost = true
  }

  #sleep(ms: number, signal: AbortSignal, { isWokenByHints } = { isWokenByHints: true }): Promise<void> {
    if (signal.aborted || (isWokenByHints && this.#isPending)) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done, { once: true })
      if (isWokenByHints) this.#wake = done
    })
  }
}
