import { Router } from '@koa/router'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../src/core/model.ts'
import { createApp } from '../../src/http/app.ts'
import type { Dependencies } from '../../src/http/dependencies.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { ENDPOINTS, pages } from '../support/api-table.ts'

const rows = Object.entries(ENDPOINTS).map(([row, cost]) => {
  const [method = '', path = ''] = row.split(' ')
  const isPage = pages.some((page) => page.method === method && page.path.replaceAll(/:(\w+)/g, '{$1}') === path)
  return { method, path, cost, isPage }
})
const isPublic = (path: string) => path.startsWith('/api/oauth/') || path.startsWith('/.well-known/')

/** Every method and path that the routers of an app take, with IDs as `{id}`. */
function registered(): string[] {
  const settings = { limits: {}, rateLimit: 0, baseUrl: () => 'http://127.0.0.1' }
  const log = { child: () => log }
  const routers = createApp({ settings, log, clock: { now: () => new Date() } } as unknown as Dependencies).middleware.flatMap(
    (step) => ('router' in step && step.router instanceof Router ? [step.router] : []),
  )
  expect(routers).toHaveLength(2)
  return routers.flatMap(({ stack }) =>
    stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path).replaceAll(/:(\w+)/g, '{$1}')}`),
    ),
  )
}

test('the tables have every route and view of the routers once, and nothing else', () => {
  expect(registered().toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted())
})

describe('with a limit of one request a minute', () => {
  let app: TestApp
  let ownerId: string
  let addresses = 0
  beforeAll(async () => {
    app = await startTestApp({ http: { rateLimit: 1, userRateLimit: 0, trustProxy: true } })
    ownerId = (await app.backend.records.users.findByEmail('alice@example.org'))!.id
  })
  afterAll(() => app?.close())

  const newAddress = (): Record<string, string> => ({ 'X-Forwarded-For': `10.${addresses >> 8}.${addresses++ & 255}.1` })

  async function newCredential(isPage: boolean): Promise<Record<string, string>> {
    const { accounts, apiKeys, records } = app.backend
    if (!isPage) {
      const { key } = await apiKeys.create({ ownerId, name: 'for the test', scopes: SCOPES, expiresAt: null })
      return { Authorization: `Bearer ${key}` }
    }
    const user = (await records.users.get(ownerId))!
    const { token } = await accounts.startSession(user, { userAgent: '', address: '' })
    return { Cookie: `docsearch_${new URL(app.url).port}=${token}` }
  }

  async function send({ method, path }: { method: string; path: string }, headers: Record<string, string>) {
    const address = app.url + path.replace('{id}', path.startsWith('/assets/') ? 'style.css' : 'none')
    const response = await fetch(address, { method, headers, redirect: 'manual' })
    await response.body?.cancel()
    return {
      isKnown: response.status !== 401,
      isOver: response.status === 429,
      limit: response.headers.get('ratelimit-limit'),
    }
  }

  test.each(rows.filter(({ cost }) => cost === 'anonymous'))('$method $path is not counted', async (row) => {
    const from = newAddress()
    for (let i = 0; i < 3; i++) expect(await send(row, from)).toMatchObject({ isOver: false, limit: null })
  })

  test.each(rows.filter(({ cost }) => cost !== 'anonymous'))(
    '$method $path counts for the credential, and without one for the address',
    async (row) => {
      const { path, isPage } = row
      const isOpen = isPublic(path) && !isPage
      if (!isOpen) {
        const credential = await newCredential(isPage)
        expect(await send(row, { ...credential, ...newAddress() })).toEqual({ isKnown: true, isOver: false, limit: '1' })
        expect(await send(row, { ...credential, ...newAddress() })).toMatchObject({ isOver: true, limit: '1' })
      }
      const from = newAddress()
      const first = await send(row, from)
      // Without a credential, a route of the API does nothing.
      if (!first.isKnown) return
      expect(first).toMatchObject({ isOver: false, limit: '1' })
      expect(await send(row, from)).toMatchObject({ isOver: true, limit: '1' })
    },
  )
})
