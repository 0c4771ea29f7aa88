import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hashSecret } from '../../src/core/secrets.ts'
import { currentCaller } from '../../src/core/caller.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { canCluster } from '../support/cluster.ts'
import { type SharedServers, startSharedServers } from '../support/shared-servers.ts'

const TOKEN = 'a-session-of-a-browser'

describe.skipIf(!canCluster)('statements of a search that an API node has answered before', () => {
  let servers: SharedServers
  let app: TestApp
  /** The statements of requests. Those that a process runs by itself have no caller. */
  let statements: string[] = []

  beforeAll(async () => {
    servers = await startSharedServers()
    vi.stubEnv('DOCSEARCH_TEST_SHARED', servers.variable)
    const send = pg.Client.prototype.query as (...args: unknown[]) => unknown
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
      if (currentCaller() !== null) statements.push((args[0] as { text: string }).text)
      return send.apply(this, args) as never
    })
    // No check of open requests during a search.
    app = await startTestApp({ credentialCheckMs: 1e6 })
    for (const name of ['keeper.md', 'rose.md']) await app.alice.ready(name, `The ${name} of the lighthouse.`, { project: 'P' })
    const { id: userId } = (await app.backend.records.users.findByEmail('alice@example.org'))!
    const session = { userId, sha256: hashSecret(TOKEN), userAgent: 'Browser', address: '::1' }
    await app.backend.records.sessions.create({ ...session, expiresAt: new Date(Date.now() + 3_600_000) })
  })
  afterAll(async () => {
    await app?.close()
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    await servers?.stop()
  })

  /** Returns what the last of three equal requests reads. */
  async function warm(ask: () => Promise<unknown>): Promise<string[]> {
    for (let i = 0; i < 3; i++) {
      statements = []
      await ask()
    }
    return statements.map((sql) => TABLES.find((table) => sql.includes(table)) ?? sql)
  }
  const TABLES = ['from changes', 'from "document_counts"', 'from "documents"', 'from "projects"']

  /** Sends the request in one piece. If the body arrives after the header, docsearch looks up the credential once more. */
  async function post(query: object): Promise<void> {
    const headers = { Authorization: `Bearer ${app.alice.key}`, 'Content-Type': 'application/json' }
    const sent = request(`${app.url}/api/v1/search`, { method: 'POST', headers, agent: false })
    sent.end(JSON.stringify(query))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const { results } = JSON.parse((await response.toArray()).join('')) as { results: unknown[] }
    expect(results).toHaveLength(2)
  }

  test.each(['keyword', 'hybrid'])('with a key: %s', async (mode) => {
    const query = { query: 'lighthouse', mode }
    expect(await warm(() => post(query))).toEqual([
      'from changes',
      'from "document_counts"',
      'from "documents"',
      // The members, after the search.
      'from changes',
    ])
  })

  test('in the browser', async () => {
    const headers = { Cookie: `docsearch_${new URL(app.url).port}=${TOKEN}` }
    const read = await warm(async () => {
      const response = await fetch(`${app.url}/?q=lighthouse`, { headers })
      expect(await response.text()).toContain('keeper.md')
    })
    const counts = 'from "document_counts"'
    // The counts are for the bar, the choice of projects, and the search, which run at the same time.
    const all = ['from changes', counts, counts, counts, 'from "projects"', 'from "documents"', 'from changes']
    expect(read.toSorted()).toEqual(all.toSorted())
  })
})
