import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'

const CHECK_MS = 400

/** A credential, identified as in the records by the SHA-256 of its text. */
export interface CredentialHash {
  kind: 'api_key' | 'access_token' | 'session'
  sha256: string
}

/** Returns the hashes whose credential is valid now. Does not count as a use of the credential. */
type FindValid = (sha256s: readonly string[]) => Promise<ReadonlySet<string>>

/**
 * Ends requests whose credential ends while docsearch answers them. A timer looks up the credentials of all open requests, with
 * one query for each kind. So the watch notices the end of a credential whatever the reason, and whichever process changed the
 * database.
 */
export class CredentialWatch {
  readonly #findValid: Record<CredentialHash['kind'], FindValid>
  readonly #everyMs: number
  readonly #log: Logger
  /** The open requests of each credential. */
  readonly #open = new Map<string, { credential: CredentialHash; requests: Set<AbortController> }>()
  #timer: NodeJS.Timeout | undefined

  constructor({ findValid, everyMs = CHECK_MS, log }: CredentialWatchOptions) {
    this.#findValid = findValid
    this.#everyMs = everyMs
    this.#log = log
  }

  /** Returns a signal that aborts when the credential has ended, and a function that stops watching it for this request. */
  watch(credential: CredentialHash): { ended: AbortSignal; stop(): void } {
    const key = `${credential.kind} ${credential.sha256}`
    const request = new AbortController()
    const entry = this.#open.get(key) ?? { credential, requests: new Set() }
    entry.requests.add(request)
    this.#open.set(key, entry)
    this.#schedule()
    return {
      ended: request.signal,
      stop: () => {
        entry.requests.delete(request)
        if (entry.requests.size === 0 && this.#open.get(key) === entry) this.#open.delete(key)
      },
    }
  }

  /** Looks up one credential now. */
  async isValid({ kind, sha256 }: CredentialHash): Promise<boolean> {
    return (await this.#findValid[kind]([sha256])).has(sha256)
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#open.size === 0) return
    this.#timer = setTimeout(() => void this.#check(), this.#everyMs)
    this.#timer.unref()
  }

  async #check(): Promise<void> {
    try {
      const entries = Map.groupBy(this.#open, ([, { credential }]) => credential.kind)
      for (const [kind, ofKind] of entries) {
        const valid = await this.#findValid[kind](ofKind.map(([, { credential }]) => credential.sha256))
        for (const [key, { credential, requests }] of ofKind) {
          if (valid.has(credential.sha256)) continue
          this.#open.delete(key)
          for (const request of requests) request.abort()
        }
      }
    } catch (error) {
      // The requests stay open, because their credentials may be valid. Without the database, they can read nothing new either.
      this.#log.warn({ err: error }, 'could not check the credentials of open requests; trying again')
    }
    this.#timer = undefined
    this.#schedule()
  }
}

export interface CredentialWatchOptions {
  findValid: Record<CredentialHash['kind'], FindValid>
  everyMs?: number
  log: Logger
}

/** Watches the credentials in the records. */
export function createCredentialWatch(options: {
  records: Pick<Records, 'keys' | 'sessions' | 'oauth'>
  everyMs?: number
  log: Logger
}): CredentialWatch {
  const { records, ...settings } = options
  return new CredentialWatch({
    ...settings,
    findValid: {
      api_key: (sha256s) => records.keys.findValid(sha256s),
      access_token: (sha256s) => records.oauth.grants.findValidAccess(sha256s),
      session: (sha256s) => records.sessions.findValid(sha256s),
    },
  })
}
