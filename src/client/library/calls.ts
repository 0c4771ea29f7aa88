import { setTimeout as sleep } from 'node:timers/promises'
import { checkedToken, createClient, type Client, type ClientOptions } from '../client.ts'
import { ClientError } from '../errors.ts'
import { retry } from '../retry.ts'
import type { CallOptions, DocsearchOptions } from './options.ts'
import { toRequestError } from './request-error.ts'

interface Call extends CallOptions {
  /** True if the request may arrive twice: then it is also repeated after a broken connection. */
  isRepeatable: boolean
}

const DEFAULT_RETRIES = 4
const CONNECT_MS = 10_000
const FIRST_PAUSE_S = 0.5
const MAX_PAUSE_S = 30
/** The instance counts requests by the minute. When it asks for a longer pause, the call fails at once. */
const MAX_ASKED_PAUSE_S = 60
/** Connections that break or are refused while an instance restarts. Others, such as an unknown host, stay as they are. */
const PASSING = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ETIMEDOUT', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Calls one instance. Repeats calls that fail for a moment, and turns all failures into RequestError. */
export class Calls {
  readonly #options: ClientOptions
  readonly #client: Client
  readonly retries: number

  constructor(options: DocsearchOptions) {
    this.retries = options.retries ?? DEFAULT_RETRIES
    try {
      this.#options = clientOptions(options)
      this.#client = createClient(this.#options)
    } catch (error) {
      throw toRequestError(error)
    }
  }

  get address(): string {
    return this.#client.address
  }

  /** Sends a request that changes nothing, or the same when it arrives twice. */
  repeatable<T>(send: (client: Client, attempt: number) => Promise<T>, { signal }: CallOptions = {}): Promise<T> {
    return this.#call(send, { signal, isRepeatable: true })
  }

  /** Sends a request that must not arrive twice. */
  once<T>(send: (client: Client, attempt: number) => Promise<T>, { signal }: CallOptions = {}): Promise<T> {
    return this.#call(send, { signal, isRepeatable: false })
  }

  /** Returns a client whose calls this signal ends too. */
  client(signal?: AbortSignal): Client {
    if (signal === undefined) return this.#client
    return createClient({ ...this.#options, signal: this.signal(signal) })
  }

  /** Returns a signal that aborts with this one and with that of all calls. */
  signal(signal?: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#options.signal].filter((one) => one !== undefined))
  }

  async #call<T>(send: (client: Client, attempt: number) => Promise<T>, call: Call): Promise<T> {
    try {
      return await this.persist(send, call)
    } catch (error) {
      throw toRequestError(error)
    }
  }

  /** Sends a request until it succeeds, and throws the errors of the inner client. */
  persist<T>(send: (client: Client, attempt: number) => Promise<T>, call: Call): Promise<T> {
    const client = this.client(call.signal)
    const signal = this.signal(call.signal)
    let attempts = 0
    return retry(
      async () => {
        if (signal.aborted) throw aborted(signal)
        return send(client, ++attempts)
      },
      (error, attempt) => (attempt > this.retries ? null : pauseAfter(error, attempt, call.isRepeatable)),
      (seconds) => pause(seconds, signal),
    )
  }
}

/** Returns how many seconds to wait before the next attempt; null if it would not help. */
function pauseAfter(error: unknown, attempt: number, isRepeatable: boolean): number | null {
  if (!(error instanceof ClientError)) return null
  const isBusy = error.status === 429 || error.status === 503
  const isBroken = error.code === 'unreachable' && PASSING.has(String(error.details['reason']))
  if (!isBusy && !(isBroken && isRepeatable)) return null
  // With jitter, so that programs that were refused together don't come back together.
  if (error.retryAfter === undefined) return Math.min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  return error.retryAfter > MAX_ASKED_PAUSE_S ? null : error.retryAfter + Math.random() * FIRST_PAUSE_S
}

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1000, undefined, { signal }).catch(() => {
    throw aborted(signal)
  })
}

function aborted(signal: AbortSignal): ClientError {
  return new ClientError('aborted', 'Cancelled.', { cause: signal.reason })
}

function clientOptions(options: DocsearchOptions): ClientOptions {
  const { url, signal, timeoutMs, certificates, userAgent } = options
  if (typeof url !== 'string') throw new ClientError('invalid_address', '`url` is missing: the address of the instance.')
  return {
    server: url,
    dataDir: null,
    token: tokenOf(options),
    certificates,
    ...(signal !== undefined && { signal }),
    ...(userAgent !== undefined && { userAgent }),
    ...(timeoutMs !== undefined && { idleMs: timeoutMs, connectMs: Math.min(timeoutMs, CONNECT_MS) }),
  }
}

function tokenOf({ apiKey, accessToken }: DocsearchOptions): ClientOptions['token'] {
  if (apiKey !== undefined && accessToken !== undefined)
    throw new ClientError('invalid_credential', 'Pass either `apiKey` or `accessToken`, not both.')
  if (typeof accessToken !== 'function') return apiKey ?? accessToken ?? null
  return {
    current: async () => checkedToken(await accessToken()),
    renew: async (refused) => checkedToken(await accessToken(refused)),
  }
}

/** Yields the entries of all result pages, and asks for the next one when it is needed. */
export async function* allPages<T>(
  load: (cursor: string | undefined) => Promise<{ entries: readonly T[]; next_cursor: string | null }>,
  first?: string,
): AsyncGenerator<T, void, undefined> {
  let cursor = first
  do {
    const { entries, next_cursor: next } = await load(cursor)
    yield* entries
    cursor = next ?? undefined
  } while (cursor !== undefined)
}
