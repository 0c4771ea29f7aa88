import type { Clock } from '../core/clock.ts'
import type { Records } from '../records/records.ts'
import { TOUCH_INTERVAL_MS } from '../records/rules.ts'

/** More credentials than an instance usually has in use. If there are more, docsearch forgets the oldest entries and looks them up again. */
const MAX_FOUND = 10_000
/** Callers can invent any number of wrong credentials. So docsearch remembers fewer of them, and they never replace a valid one. */
const MAX_MISSING = 1_000

/**
 * Returns records that answer the lookups of every request from memory: credentials by their hashes, users and applications by
 * their IDs. They ask the database again when an entry expires, and after every change to users, credentials or applications in this or any
 * other process. Callers share the returned objects and must not change them.
 */
export function rememberCredentials(records: Records, clock: Clock): Records {
  const { users, keys, sessions, oauth } = records
  const now = () => clock.now().getTime()
  const source = { version: () => records.credentialsVersion(), now }
  const foundUsers = new Memory<Row<typeof users.get>>(source, () => null, 0)
  const foundApplications = new Memory<Row<typeof oauth.applications.get>>(source, ({ secrets }) => firstExpiry(secrets), 0)
  const foundKeys = new Memory<Row<typeof keys.findByHash>>(source, ({ expiresAt }) => expiresAt)
  const foundSessions = new Memory<Row<typeof sessions.findByHash>>(source, ({ session }) => session.expiresAt)
  const foundTokens = new Memory<Row<typeof oauth.grants.findAccess>>(source, ({ expiresAt }) => expiresAt)
  const uses = new Uses(now)
  const applications: typeof oauth.applications = {
    ...oauth.applications,
    get: (id) => foundApplications.find(id, oauth.applications.get),
  }
  const grants: typeof oauth.grants = {
    ...oauth.grants,
    findAccess: (sha256) =>
      foundTokens.find(sha256, async () => {
        const token = await oauth.grants.findAccess(sha256)
        if (token !== null) uses.saw(token.grant.id, token.grant.lastUsedAt)
        return token
      }),
    findValidAccess: (sha256s) => foundTokens.findValid(sha256s, oauth.grants.findValidAccess),
    async touch(id) {
      if (!uses.isDue(id)) return
      await oauth.grants.touch(id)
      foundTokens.forget(({ grant }) => grant.id === id)
    },
  }

  return {
    ...records,
    users: { ...users, get: (id) => foundUsers.find(id, users.get) },
    keys: {
      ...keys,
      findByHash: (sha256) =>
        foundKeys.find(sha256, async () => {
          const key = await keys.findByHash(sha256)
          if (key !== null) uses.saw(key.id, key.lastUsedAt)
          return key
        }),
      findValid: (sha256s) => foundKeys.findValid(sha256s, keys.findValid),
      async touch(id) {
        if (!uses.isDue(id)) return
        await keys.touch(id)
        foundKeys.forget((key) => key.id === id)
      },
    },
    sessions: {
      ...sessions,
      findByHash: (sha256) =>
        foundSessions.find(sha256, async () => {
          const found = await sessions.findByHash(sha256)
          if (found !== null) uses.saw(found.session.id, found.session.lastSeenAt)
          return found
        }),
      findValid: (sha256s) => foundSessions.findValid(sha256s, sessions.findValid),
      async touch(id, expiresAt) {
        if (!uses.isDue(id)) return
        await sessions.touch(id, expiresAt)
        foundSessions.forget(({ session }) => session.id === id)
      },
    },
    oauth: { ...oauth, applications, grants },
  }
}

type Row<F extends (key: string) => Promise<unknown>> = NonNullable<Awaited<ReturnType<F>>>

interface Source {
  /** See `Records.credentialsVersion`. */
  version(): number | Promise<number>
  now(): number
}

/** Remembers what a kind of lookup found or did not find, until the database changes. */
class Memory<T extends object> {
  readonly #source: Source
  readonly #expiryOf: (value: T) => Date | null
  readonly #maxMissing: number
  readonly #found = new Map<string, T>()
  readonly #missing = new Set<string>()
  #version: number | undefined

  constructor(source: Source, expiryOf: (value: T) => Date | null, maxMissing = MAX_MISSING) {
    this.#source = source
    this.#expiryOf = expiryOf
    this.#maxMissing = maxMissing
  }

  /** Returns the value of a key from memory, or looks it up. */
  async find(key: string, look: (key: string) => Promise<T | null>): Promise<T | null> {
    const version = this.#note(await this.#source.version())
    const known = this.#get(key)
    if (known !== undefined) return known
    const value = await look(key)
    // After a change during the lookup, the value may be from before the change.
    if (version === this.#version) this.#remember(key, value)
    return value
  }

  /** Returns the keys that have a value. Looks up only the keys without a value in memory. */
  async findValid(keys: readonly string[], look: (keys: readonly string[]) => Promise<Set<string>>): Promise<Set<string>> {
    this.#note(await this.#source.version())
    const valid = new Set(keys.filter((key) => this.#get(key)))
    const others = keys.filter((key) => !valid.has(key))
    return others.length === 0 ? valid : new Set([...valid, ...(await look(others))])
  }

  /** Forgets the values for which a test returns true. */
  forget(test: (value: T) => boolean): void {
    for (const [key, value] of this.#found) if (test(value)) this.#found.delete(key)
  }

  /**
   * Notes the version, and forgets everything if it has changed. Returns the version. Must not be async, because another caller could note another
   * version before this caller continues.
   */
  #note(version: number): number {
    if (version !== this.#version) {
      this.#version = version
      this.#found.clear()
      this.#missing.clear()
    }
    return version
  }

  /** Returns undefined if nothing is known, and null if the key is known to have no value. */
  #get(key: string): T | null | undefined {
    const value = this.#found.get(key)
    if (value === undefined) return this.#missing.has(key) ? null : undefined
    const expiry = this.#expiryOf(value)
    if (expiry === null || expiry.getTime() > this.#source.now()) return value
    this.#found.delete(key)
    return undefined
  }

  #remember(key: string, value: T | null): void {
    if (value !== null) {
      this.#found.set(key, value)
      dropOldest(this.#found, MAX_FOUND)
    } else {
      this.#missing.add(key)
      dropOldest(this.#missing, this.#maxMissing)
    }
  }
}

/** Remembers the last use of each credential that the database has, so that not every request has to write one. */
class Uses {
  readonly #now: () => number
  readonly #last = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  saw(id: string, lastUsedAt: Date | null): void {
    this.#last.delete(id)
    this.#last.set(id, lastUsedAt?.getTime() ?? -Infinity)
    dropOldest(this.#last, MAX_FOUND)
  }

  /** Returns true unless the database already has a use of the credential within the last minute. */
  isDue(id: string): boolean {
    const last = this.#last.get(id)
    return last === undefined || this.#now() - last >= TOUCH_INTERVAL_MS
  }
}

function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  if (entries.size > max) entries.delete(entries.keys().next().value!)
}

function firstExpiry(secrets: readonly { expiresAt: Date | null }[]): Date | null {
  const times = secrets.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt.getTime()]))
  return times.length === 0 ? null : new Date(Math.min(...times))
}
