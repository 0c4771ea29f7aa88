import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'

const CHECK_MS = 400

/** What a request needs until its answer is complete: a valid credential, or that its user may see a document. */
export interface Condition {
  kind: 'api_key' | 'access_token' | 'session' | 'document'
  /** The SHA-256 of a credential's text, as in the records. For a document, see `visibleDocument`. */
  key: string
}

/**
 * Returns the condition that the user may see the document, with a credential that is limited to these projects. A document in the trash counts
 * as long as the user may see its project.
 */
export function visibleDocument(userId: string, limit: ReadonlySet<string> | null, documentId: string): Condition {
  return { kind: 'document', key: JSON.stringify([userId, limit && [...limit], documentId]) }
}

/** Returns the keys whose condition holds now. Does not count as a use of a credential. */
type FindValid = (keys: readonly string[]) => Promise<ReadonlySet<string>>

/**
 * Ends requests whose credential or sight of a document ends while docsearch answers them. A timer looks up the conditions of all open requests, with
 * one query for each kind. So the watch notices their end whatever the reason, and whichever process changed the
 * database.
 */
export class CredentialWatch {
  readonly #findValid: Record<Condition['kind'], FindValid>
  readonly #everyMs: number
  readonly #log: Logger
  /** The open requests of each condition. */
  readonly #open = new Map<string, { condition: Condition; requests: Set<AbortController> }>()
  #timer: NodeJS.Timeout | undefined

  constructor({ findValid, everyMs = CHECK_MS, log }: CredentialWatchOptions) {
    this.#findValid = findValid
    this.#everyMs = everyMs
    this.#log = log
  }

  /** Returns a signal that aborts when the condition no longer holds, and a function that stops watching it for this request. */
  watch(condition: Condition): { ended: AbortSignal; stop(): void } {
    const key = `${condition.kind} ${condition.key}`
    const request = new AbortController()
    const entry = this.#open.get(key) ?? { condition, requests: new Set() }
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

  /** Looks up one condition now. */
  async isValid({ kind, key }: Condition): Promise<boolean> {
    return (await this.#findValid[kind]([key])).has(key)
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#open.size === 0) return
    this.#timer = setTimeout(() => void this.#check(), this.#everyMs)
    this.#timer.unref()
  }

  async #check(): Promise<void> {
    try {
      const entries = Map.groupBy(this.#open, ([, { condition }]) => condition.kind)
      for (const [kind, ofKind] of entries) {
        const valid = await this.#findValid[kind](ofKind.map(([, { condition }]) => condition.key))
        for (const [key, { condition, requests }] of ofKind) {
          if (valid.has(condition.key)) continue
          this.#open.delete(key)
          for (const request of requests) request.abort()
        }
      }
    } catch (error) {
      // The requests stay open, because their conditions may hold. Without the database, they can read nothing new either.
      this.#log.warn({ err: error }, 'could not check the credentials of open requests; trying again')
    }
    this.#timer = undefined
    this.#schedule()
  }
}

export interface CredentialWatchOptions {
  findValid: Record<Condition['kind'], FindValid>
  everyMs?: number
  log: Logger
}

/** Watches the credentials and members in the records. */
export function createCredentialWatch(options: {
  records: Pick<Records, 'keys' | 'members' | 'documents' | 'trash' | 'sessions' | 'oauth'>
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
      document: (keys) => findDocuments(records, keys),
    },
  })
}

/** Reads each document by itself. `visibleTo` and `getMany` answer from memory while nothing changes. */
async function findDocuments(
  { members, documents, trash }: Pick<Records, 'members' | 'documents' | 'trash'>,
  keys: readonly string[],
): Promise<Set<string>> {
  const valid = new Set<string>()
  for (const key of keys) {
    const [userId, limit, documentId] = JSON.parse(key) as [string, string[] | null, string]
    const ids = (await members.visibleTo(userId)).projects.map(({ id }) => id)
    const projects = new Set(limit === null ? ids : ids.filter((id) => limit.includes(id)))
    const isThere = (await documents.getMany(projects, [documentId])).has(documentId)
    if (isThere || (await trash.get(projects, documentId)) !== null) valid.add(key)
  }
  return valid
}
