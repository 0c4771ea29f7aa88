import { DocsearchError } from '../../../core/errors.ts'
import { onceAborted } from '../../routing/context.ts'

/** Streams end without notice, so this is a guess at when a listener may have left. */
const RETRY_SECONDS = 5

/** Counts the open event streams of each user, over all keys, applications and browsers. */
export class OpenStreams {
  readonly #limit: number
  readonly #open = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a stream until its connection closes. Throws `too_many_streams` above the limit. */
  add(userId: string, closed: AbortSignal): void {
    const open = this.#open.get(userId) ?? 0
    if (open >= this.#limit) throw tooMany(this.#limit)
    this.#open.set(userId, open + 1)
    onceAborted(closed, () => this.#remove(userId))
  }

  #remove(userId: string): void {
    const open = (this.#open.get(userId) ?? 1) - 1
    if (open === 0) this.#open.delete(userId)
    else this.#open.set(userId, open)
  }
}

function tooMany(limit: number): DocsearchError {
  return new DocsearchError(
    'too_many_streams',
    `You have ${limit} event streams open over all your keys and applications, which is the limit (limits.event_streams). Close one and try again.`,
    { retryAfter: RETRY_SECONDS, details: { limit } },
  )
}
