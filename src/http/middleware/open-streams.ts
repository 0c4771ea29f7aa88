import { DocsearchError } from '../../core/errors.ts'
import { noTelemetry, type Telemetry } from '../../core/telemetry.ts'
import { UserSlots } from '../../core/turns.ts'
import { onceAborted } from '../routing/context.ts'

/** A guess, because nobody knows when a stream will end. */
const RETRY_SECONDS = 5

/** Counts the open event streams of each user, over all keys, applications and browsers. */
export class OpenStreams {
  readonly #limit: number
  readonly #slots: UserSlots
  readonly #telemetry: Telemetry

  constructor(limit: number, telemetry: Telemetry = noTelemetry) {
    this.#limit = limit
    this.#telemetry = telemetry
    this.#slots = new UserSlots(limit)
  }

  /** Counts a stream until its connection closes. Throws `too_many_streams` if the user has reached the limit. */
  add(userId: string, closed: AbortSignal): void {
    const release = this.#slots.take(userId)
    if (release === null) throw tooMany(this.#limit)
    this.#telemetry.note({ type: 'event_streams', change: 1 })
    onceAborted(closed, () => {
      release()
      this.#telemetry.note({ type: 'event_streams', change: -1 })
    })
  }
}

function tooMany(limit: number): DocsearchError {
  return new DocsearchError(
    'too_many_streams',
    `You have reached the limit of ${limit} open event streams, over all keys and applications (limits.event_streams). Close one of them and try again.`,
    { retryAfter: RETRY_SECONDS, details: { limit } },
  )
}
