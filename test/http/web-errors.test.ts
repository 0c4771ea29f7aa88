import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, webClient, type WebClient } from '../support/web-client.ts'

let app: TestApp
let owner: WebClient
let member: WebClient
let visitor: WebClient
beforeAll(async () => {
  app = await startTestApp()
  owner = await loggedIn(app, 'alice@example.org')
  member = await loggedIn(app, 'bob@example.org')
  visitor = webClient(app)
})
afterAll(() => app?.close())

const NAVIGATION = ['/documents', '/upload', '/projects', '/settings']

describe('an error has the frame of the views', () => {
  test.each<[string, () => Promise<{ status: number }>]>([
    ['an unknown path', () => owner.get('/nothing/here')],
    ['a document that does not exist', () => member.get('/documents/doc_none')],
    ['a view that only the owner has', () => member.get('/settings/users')],
    ['a wrong method', () => member.send('PUT', '/settings/profile', null, { Accept: 'text/html' })],
    ['a form that is out of date', () => member.post('/settings/profile', { csrf: 'old' })],
    ['a form that is too large', () => member.post('/settings/profile', `csrf=${'x'.repeat(70_000)}`)],
    ['a form of another type', () => member.post('/settings/profile', '{}', { 'Content-Type': 'application/json' })],
  ])('%s: links to the other views, a search box and the account', async (_name, send) => {
    const page = (await send()) as Awaited<ReturnType<WebClient['get']>>
    expect(page.status).toBeGreaterThanOrEqual(400)
    expect(page.links).toEqual(expect.arrayContaining(NAVIGATION))
    expect(page.form('/').buttons).toHaveLength(1)
    expect(page.text).toMatch(/alice@example\.org|bob@example\.org/)
    expect(page.text).toContain(page.headers.get('x-request-id'))
    expect(page.text).not.toMatch(/\/api\/docs|Retry-After/)
  })

  test('the user can log out there', async () => {
    const other = await loggedIn(app, 'bob@example.org')
    const page = await other.get('/nothing')
    expect((await other.submit(page, '/logout')).location).toBe('/logged-out')
  })

  test('somebody who is not logged in gets a link to the login and back, and learns nothing about the instance', async () => {
    const page = await visitor.get('/nothing?x=1')
    expect(page.status).toBe(404)
    expect(page.links).toContain(`/login?return_to=${encodeURIComponent('/nothing?x=1')}`)
    expect(page.links).not.toContain('/documents')
    expect(page.text).not.toMatch(/alice|bob|@/i)
    expect(page.forms).toEqual([])
  })
})

test('over the limit, the question and its filters stay in the search box, and words say when to try again', async () => {
  const limited = await startTestApp({ http: { rateLimit: 2 } })
  try {
    const address = '/?q=notice+period&project=p1&tags=lease%2C2026&after=2026-01-01'
    for (const browser of [await loggedIn(limited, 'alice@example.org'), webClient(limited)]) {
      let page = await browser.get(address)
      for (let i = 0; i < 3 && page.status !== 429; i++) page = await browser.get(address)
      expect(page.status).toBe(429)
      expect(Object.fromEntries(page.form('/').fields)).toEqual({
        q: 'notice period',
        project: 'p1',
        tags: 'lease,2026',
        after: '2026-01-01',
      })
      expect(page.links).toContain(address)
      expect(page.text).toMatch(/Try again in (?:one second|\d+ seconds)\./)
      expect(page.text).not.toMatch(/Retry-After|RateLimit/)
    }
  } finally {
    await limited.close()
  }
})

test.each([
  ['unavailable', 503, 'Unavailable at the moment'],
  ['disk_full', 507, 'The disk is full'],
] as const)('%s keeps the question', async (code, status, title) => {
  const { DocsearchError } = await import('../../src/core/errors.ts')
  const broken = await startTestApp({
    change: ({ search }) => ({
      search: {
        ...search,
        search: async () => {
          throw new DocsearchError(code, 'a detail of the disk', { fault: 'outside' })
        },
      },
    }),
  })
  try {
    const browser = await loggedIn(broken, 'alice@example.org')
    const page = await browser.get('/?q=rent')
    expect([page.status, page.field('q')]).toEqual([status, 'rent'])
    expect(page.text).toContain(title)
    expect(page.text).not.toContain('a detail of the disk')
  } finally {
    await broken.close()
  }
})
