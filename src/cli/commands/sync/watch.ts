import { stat } from 'node:fs/promises'
import type { Client } from '../../../client/client.ts'
import { ClientError, reasonOf } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { cancelled, PartialFailure } from '../../exit.ts'
import type { Refusal } from '../../files/found.ts'
import type { HashedFile } from '../../files/hash.ts'
import type { Result } from '../upload/result.ts'
import { compare, type SyncRequest } from './comparison.ts'
import type { SyncPlan } from './plan.ts'
import { makeChanges, throwFailures } from './sync.ts'
import { watch, type FSWatcher } from 'node:fs'

const WRITING_MS = 1_500
const MISSING_MS = 5_000
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000

/**
 * Syncs a folder until Ctrl-C, whenever it changes. Goes on after the instance was away and after the folder was away. Throws `aborted`
 * at Ctrl-C, and what no waiting will cure, such as a login that has ended.
 */
export async function watchFolder(
  context: Context,
  client: Client,
  request: SyncRequest,
  options: { waits: boolean; isVerbose: boolean },
): Promise<never> {
  const { signal } = context.io
  const hints = new FolderHints(request.folder, (reason) =>
    context.notice(`Cannot watch ${request.folder} (${reason}). Looking at it every ${UNWATCHED_MS / 1000} seconds instead.`),
  )
  const watch = new Watch(context, client, request, options)
  // A folder that was never there is a mistake.
  await stat(request.folder)
  context.notice(`Watching ${request.folder}. Press Ctrl-C to stop.`)
  try {
    for (;;) {
      await hints.follow()
      const pause = await watch.pass()
      await hints.wait(pause ?? hints.patienceMs, signal)
      if (signal.aborted) throw cancelled('Stopped watching.')
    }
  } finally {
    hints.close()
  }
}

/** One sync after the other. Says each trouble once. */
class Watch {
  readonly #context: Context
  readonly #client: Client
  readonly #request: SyncRequest
  readonly #options: { waits: boolean; isVerbose: boolean }
  readonly #refusedFiles = new RefusedFiles()
  /** The last printed reason why syncing has to wait. */
  #trouble: string | null = null
  /** The last printed list of failures. */
  #failure: string | null = null
  #retryMs = FIRST_RETRY_MS

  constructor(context: Context, client: Client, request: SyncRequest, options: { waits: boolean; isVerbose: boolean }) {
    this.#context = context
    this.#client = client
    this.#request = request
    this.#options = options
  }

  /** Syncs once. Returns after how many milliseconds to sync again at the latest; null if nothing calls for it. */
  async pass(): Promise<number | null> {
    const { folder } = this.#request
    const isThere = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    )
    if (!isThere) {
      this.#say(`${folder} is not available. Waiting for it.`)
      return MISSING_MS
    }
    try {
      const isUnsettled = await this.#sync()
      this.#endTrouble()
      return isUnsettled ? WRITING_MS : null
    } catch (error) {
      if (this.#context.io.signal.aborted) throw cancelled('Stopped watching.')
      if (error instanceof PartialFailure) {
        this.#endTrouble()
        if (error.message !== this.#failure) this.#context.notice(error.message)
        this.#failure = error.message
        return null
      }
      if (!(error instanceof ClientError) || !isTemporary(error)) throw error
      this.#say(`${error.detail} Trying again until it works.`)
      const pause = Math.max(this.#retryMs, (error.retryAfter ?? 0) * 1000)
      this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2)
      return pause
    }
  }

  /** Returns true if some files are perhaps still being written. */
  async #sync(): Promise<boolean> {
    const comparison = await compare(this.#context, this.#client, this.#request, { waitsForWriters: true })
    const { plan, local, isUnsettled } = comparison
    const refusedBefore = this.#refusedFiles.takeFrom(plan)
    const changes = plan.new.length + plan.changed.length + plan.renamed.length + (this.#request.prunes ? plan.gone.length : 0)
    if (changes === 0 && local.refused.length === 0) return isUnsettled
    // These files are named once more only if they are the reason why nothing is deleted.
    if (this.#request.prunes && plan.gone.length > 0) local.refused.push(...refusedBefore)
    const outcome = await makeChanges(this.#context, this.#client, comparison, this.#request, this.#options)
    this.#refusedFiles.remember(plan, outcome.upload)
    throwFailures(outcome, comparison, this.#request)
    this.#failure = null
    return isUnsettled
  }

  #endTrouble(): void {
    this.#retryMs = FIRST_RETRY_MS
    if (this.#trouble !== null) this.#context.notice('Syncing works again.')
    this.#trouble = null
  }

  #say(trouble: string): void {
    if (trouble !== this.#trouble) this.#context.notice(trouble)
    this.#trouble = trouble
  }
}

/** True while the instance is away or busy. */
function isTemporary({ status, code }: ClientError): boolean {
  return status === 429 || status >= 500 || code === 'unreachable' || code === 'timeout'
}

/** Refusals that the same bytes get again, unless the instance changes. */
const LASTING_CODES: ReadonlySet<string> = new Set(['encrypted', 'too_large', 'unsupported_type'])
/** The operator may raise a limit, or an update may read another format. */
const TRY_AGAIN_MS = 24 * 3600_000

interface Known {
  sha256: string
  at: number
  /** Null if the file was only skipped, which is no failure. */
  refusal: Refusal | null
}

/** The files that the instance has refused during a watch, so that they are not sent again with every look at the folder. */
export class RefusedFiles {
  readonly #byPath = new Map<string, Known>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Remembers which files of a plan were refused or skipped because of what they contain. */
  remember(plan: SyncPlan, { refused, skipped }: Pick<Result, 'refused' | 'skipped'>): void {
    const sent = new Map([...plan.new, ...plan.changed].map((file) => [file.path, file]))
    const add = (one: Refusal, refusal: Refusal | null) => {
      const file = sent.get(one.path)
      if (file !== undefined && LASTING_CODES.has(one.code))
        this.#byPath.set(one.path, { sha256: file.sha256, at: this.#now(), refusal })
    }
    for (const one of refused) add(one, one)
    for (const one of skipped) add(one, null)
  }

  /** Removes the files that were refused or skipped within the last day, and have not changed since, from a plan. Returns the refusals. */
  takeFrom(plan: SyncPlan): Refusal[] {
    const refusals: Refusal[] = []
    const stays = ({ path, sha256 }: HashedFile) => {
      const known = this.#byPath.get(path)
      if (known === undefined) return true
      if (known.sha256 !== sha256 || this.#now() - known.at >= TRY_AGAIN_MS) {
        this.#byPath.delete(path)
        return true
      }
      if (known.refusal !== null) refusals.push(known.refusal)
      return false
    }
    plan.new = plan.new.filter(stays)
    plan.changed = plan.changed.filter(stays)
    return refusals
  }
}

const QUIET_MS = 500
/** A folder that never falls quiet is looked at this often. */
const MAX_DELAY_MS = 10_000

/** Changes that no hint told of, for example on a network drive, are found this late. */
const WATCHED_MS = 10 * 60_000
/** Without hints, because the system has no watches left. */
const UNWATCHED_MS = 30_000
/** Node does not say when it watches all subfolders, and tells nothing of what changes before. */
const STARTING_MS = 30_000
const WHILE_STARTING_MS = 5_000

/** Tells when something in a folder may have changed. A hint may be wrong, late or missing. */
class FolderHints {
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
