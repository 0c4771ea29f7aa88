import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { rememberCredentials } from '../../src/auth/remembered-credentials.ts'
import { callAs, type Caller, currentCaller } from '../../src/core/caller.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { fromNow, Moment } from '../../src/core/moment.ts'
import type { Records } from '../../src/records/records.ts'
import { openPostgres } from '../../src/records/sql/postgres/open.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { hasPostgres, startPostgres, withClient, type RunningPostgres } from '../support/postgres-server.ts'

/** Marks the statements to count, among those that a process runs by itself. */
const CALLER: Caller = { userId: null, address: null, credential: null }

const inAnHour = () => new Date(Date.now() + 3_600_000)

describe.skipIf(!hasPostgres)('what a process remembers of the database', () => {
  let postgres: RunningPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  /** Opens the records as a process does. `count` returns how many statements some work runs. */
  async function open(url: string): Promise<{ records: Records; count(work: () => Promise<unknown>): Promise<number> }> {
    let statements = 0
    const server = await pgServer({ url, log: silentLogger })
    const counting: PostgresServer = {
      ...server,
      async connect(options) {
        const client = await server.connect(options)
        return {
          ...client,
          query: (sql, parameters) => ((statements += currentCaller() === CALLER ? 1 : 0), client.query(sql, parameters)),
        }
      },
    }
    const { records } = await openPostgres({ server: counting, clock: systemClock, log: silentLogger })
    onTestFinished(() => records.close())
    const count = async (work: () => Promise<unknown>) => {
      const before = statements
      await callAs(CALLER, work)
      return statements - before
    }
    return { records: rememberCredentials(records, systemClock), count }
  }

  async function openTwo() {
    const url = await postgres.database()
    const [one, other] = [await open(url), await open(url)]
    const ann = (await one.records.users.create({ name: 'Ann', email: 'ann@example.org', role: 'owner' })).id
    const ben = (await one.records.users.create({ name: 'Ben', email: 'ben@example.org', role: 'member' })).id
    const project = (await one.records.projects.create({ ownerId: ann, name: 'P', description: '' })).id
    await one.records.members.set(project, ben, 'reader')
    return { url, one, other, ann, ben, project }
  }

  const newKey = (records: Records, ownerId: string, sha256: string) =>
    records.keys.create({
      ownerId,
      name: 'k',
      sha256,
      lastFour: 'abcd',
      scopes: ['read:documents'],
      projectIds: null,
      expiresAt: inAnHour(),
      maxKeys: 100,
    })
  const newSession = (records: Records, userId: string, sha256: string) =>
    records.sessions.create({ userId, sha256, userAgent: 'Browser', address: '::1', expiresAt: inAnHour() })
  const newToken = async (records: Records, userId: string, clientId: string, name: string) => {
    await records.oauth.codes.create({
      sha256: `code ${name}`,
      clientId,
      userId,
      redirectUri: 'https://app.example/back',
      scopes: ['read:documents'],
      projectIds: null,
      codeChallenge: null,
      resource: null,
      expiresAt: inAnHour(),
    })
    const access = { sha256: name, expiresAt: inAnHour() }
    return (await records.oauth.codes.redeem(`code ${name}`, { access, refresh: null, scopes: ['read:documents'] }))!
  }

  test('a credential that one process ends is unknown to the other at once', async () => {
    const { one, other, ben } = await openTwo()
    const { keys, sessions, users } = one.records
    const lookups = {
      key: async () => (await other.records.keys.findByHash('k')) !== null,
      session: async () => (await other.records.sessions.findByHash('s')) !== null,
    }
    const ends: [name: keyof typeof lookups, end: () => Promise<unknown>][] = [
      ['key', async () => keys.delete(ben, key.id)],
      ['key', () => users.setDisabled(ben, true)],
      ['session', async () => sessions.delete(ben, session.id)],
      ['session', () => sessions.deleteOthers(ben, null)],
      ['session', () => users.setDisabled(ben, true)],
      ['session', () => users.delete(ben)],
    ]
    let [key, session] = [await newKey(one.records, ben, 'k'), await newSession(one.records, ben, 's')]
    for (const [name, end] of ends) {
      expect(await lookups[name](), name).toBe(true)
      expect(await lookups[name](), name).toBe(true)
      await end()
      expect(await lookups[name](), String(end)).toBe(false)
      if ((await users.get(ben)) === null) continue
      await users.setDisabled(ben, false)
      if (!(await lookups.key())) key = await newKey(one.records, ben, 'k')
      if (!(await lookups.session())) session = await newSession(one.records, ben, 's')
      // The other process had remembered that there was none.
      expect([await lookups.key(), await lookups.session()]).toEqual([true, true])
    }
  })

  test('the other process knows at once what a user may see', async () => {
    const { one, other, ann, ben, project } = await openTwo()
    const { members, projects, users } = one.records
    const seen = async () =>
      (await other.records.members.visibleTo(ben)).projects.map(({ name, role, ownerName }) => [name, role, ownerName])
    expect(await seen()).toEqual([['P', 'reader', 'Ann']])
    await members.set(project, ben, 'writer')
    expect(await seen()).toEqual([['P', 'writer', 'Ann']])
    await projects.update(project, { name: 'Q' })
    expect(await seen()).toEqual([['Q', 'writer', 'Ann']])
    await users.update(ann, { name: 'Anna' })
    expect(await seen()).toEqual([['Q', 'writer', 'Anna']])
    await members.remove(project, ben)
    expect(await seen()).toEqual([])
    await members.set(project, null, 'reader')
    expect(await seen()).toEqual([['Q', 'reader', 'Anna']])
    await members.remove(project, null)
    expect(await seen()).toEqual([])
  })

  test('using a credential does not count as a change, and lookups answer from memory', async () => {
    const { url, one, other, ben } = await openTwo()
    const key = await newKey(one.records, ben, 'k')
    const session = await newSession(one.records, ben, 's')
    const find = async () => {
      await other.records.keys.findByHash('k')
      await other.records.sessions.findByHash('s')
      await other.records.users.get(ben)
      await other.records.members.visibleTo(ben)
    }
    await find()
    await withClient(url, (client) => client.query('update sessions set last_seen_at = 0'))
    const before = await one.records.credentialsVersion()
    await one.records.keys.touch(key.id)
    await one.records.sessions.touch(session.id, inAnHour())
    await withClient(url, (client) => client.query('update oauth_grants set last_used_at = 1'))
    // A statement that finds no row.
    await one.records.check()
    expect(await one.records.credentialsVersion()).toBe(before)
    expect(await other.count(() => fromNow(find))).toBe(1)
    // A session never ends sooner because of a use, but an operator could end it.
    await withClient(url, (client) => client.query('update sessions set expires_at = 1'))
    expect(await other.records.sessions.findByHash('s')).toBeNull()
  })

  test('a change counts when it is committed, and not before', async () => {
    const { url, one, other, ben } = await openTwo()
    await newKey(one.records, ben, 'k')
    const isKnown = async () => (await other.records.keys.findByHash('k')) !== null
    await withClient(url, async (client) => {
      await client.query('begin')
      await client.query('delete from api_keys')
      expect([await isKnown(), await isKnown()]).toEqual([true, true])
      await client.query('commit')
      expect(await isKnown()).toBe(false)

      const version = await other.records.credentialsVersion()
      await client.query('begin')
      await client.query('savepoint before')
      await client.query('delete from users where id = $1', [ben])
      await client.query('rollback to before')
      await client.query('delete from users where id = $1', [ben])
      expect(await other.records.credentialsVersion()).toBe(version)
      await client.query('commit')
      expect(await other.records.credentialsVersion()).toBeGreaterThan(version)

      const last = await other.records.credentialsVersion()
      await client.query('begin')
      await client.query('delete from users')
      await client.query('rollback')
      expect(await other.records.credentialsVersion()).toBe(last)
    })
  })

  test('one statement answers all callers that asked before it began, and within a moment also later callers', async () => {
    const { one } = await openTwo()
    const { records } = one
    const thrice = async (work: () => unknown) => {
      for (let i = 0; i < 3; i++) await work()
    }
    const askAll = async () => {
      await records.credentialsVersion()
      await records.synonyms.version()
    }
    expect(await one.count(() => Promise.all(Array.from({ length: 20 }, async () => records.credentialsVersion())))).toBe(1)
    expect(await one.count(() => thrice(() => records.credentialsVersion()))).toBe(3)
    const moment = new Moment()
    expect(await one.count(() => thrice(() => moment.run(askAll)))).toBe(1)
    // A statement that began before the moment is too old for it.
    const overlapping = async () => {
      const earlier = records.credentialsVersion()
      await setImmediate()
      await fromNow(askAll)
      await earlier
    }
    expect(await one.count(overlapping)).toBe(2)
  })

  test('a token whose connection or application is gone is unknown to the other process', async () => {
    const { one, other, ben } = await openTwo()
    const { applications, grants } = one.records.oauth
    const { id: clientId } = await applications.create({
      ownerId: ben,
      name: 'App',
      type: 'public',
      redirectUris: ['https://app.example/back'],
      scopes: ['read:documents'],
      secret: null,
    })
    const find = async (name: string) => (await other.records.oauth.grants.findAccess(name)) !== null
    const grant = await newToken(one.records, ben, clientId, 't1')
    await newToken(one.records, ben, clientId, 't2')
    expect([await find('t1'), await find('t2')]).toEqual([true, true])
    expect(await other.records.oauth.applications.get(clientId)).not.toBeNull()
    await grants.revoke(grant.id)
    expect([await find('t1'), await find('t2')]).toEqual([false, true])
    await applications.delete(ben, clientId)
    expect([await find('t2'), await other.records.oauth.applications.get(clientId)]).toEqual([false, null])
  })
})
