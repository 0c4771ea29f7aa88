import { setTimeout as sleep } from 'node:timers/promises'
import { BackgroundTask } from '../../core/background-task.ts'
import type { Logger } from '../../core/logger.ts'
import type { PartFiles } from './part-files.ts'

/** Hashing takes at most this share of the time. New files are small; only files of an earlier version of docsearch take long. */
const MAX_SHARE = 1 / 4
/** How long to wait after a commit. A burst of commits shares one run, because each commit writes another manifest. */
const PAUSE_MS = 1_000
/** How many bytes to hash while the index is closing. The next start hashes the rest. */
const CLOSING_BYTES = 64 * 1024 * 1024

/** Hashes the files of a table in the background, soon after they were written. */
export class ChecksumRecorder {
  readonly #parts: () => readonly PartFiles[]
  readonly #log: Logger
  readonly #recording: BackgroundTask
  readonly #closing = new AbortController()
  /** Null while the index is open. */
  #bytesLeft: number | null = null

  private constructor(parts: () => readonly PartFiles[], log: Logger) {
    this.#parts = parts
    this.#log = log
    const onFailure = (error: unknown) =>
      log.warn({ err: error }, 'checksums of the index could not be recorded; trying again later')
    const work = async () => {
      await this.#pause(PAUSE_MS)
      await this.#record()
    }
    this.#recording = new BackgroundTask({ work, onFailure })
  }

  static async start(parts: () => readonly PartFiles[], log: Logger): Promise<ChecksumRecorder> {
    const recorder = new ChecksumRecorder(parts, log)
    for (const files of parts()) await files.loadChecksums()
    recorder.changed()
    return recorder
  }

  /** Call this after files were written. */
  changed(): void {
    this.#recording.start()
  }

  /** Also hashes the last files, unless they are large. Never rejects. */
  async stop(): Promise<void> {
    this.#bytesLeft = CLOSING_BYTES
    this.#closing.abort()
    await this.#recording.stop()
    await this.#record().catch((error: unknown) => this.#log.debug({ err: error }, 'the next start records the other checksums'))
  }

  async #record(): Promise<void> {
    let at = performance.now()
    const onRead = async (bytes: number) => {
      if (this.#bytesLeft === null) await this.#pause((performance.now() - at) * (1 / MAX_SHARE - 1))
      else if ((this.#bytesLeft -= bytes) < 0) throw new Error('the index is closing')
      at = performance.now()
    }
    for (const files of this.#parts()) await files.updateChecksums(onRead)
  }

  /** Ends early when the index closes. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {})
  }
}
