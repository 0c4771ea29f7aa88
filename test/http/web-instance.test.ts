import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { loggedIn, type WebClient, type WebPage } from '../support/web-client.ts'

describe('an instance that works', () => {
  let app: TestApp
  let owner: WebClient
  let member: WebClient
  beforeAll(async () => {
    app = await startTestApp()
    owner = await loggedIn(app, 'alice@example.org')
    member = await loggedIn(app, 'bob@example.org')
  })
  afterAll(() => app?.close())

  test('the owner sees the checks, models, disk, memory, users, queue and version', async () => {
    await app.bob.ready('a.txt', 'Words.')
    const page = await owner.get('/settings/instance')
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Everything works.')])
    for (const part of [
      /Database OK/,
      /Index OK/,
      /Embedding model OK/,
      /Embedding model\s+builtin/,
      /Reranker OK/,
      /Queue OK/,
      /Disk OK/,
      /Documents\s+1\s/,
      /Free\s+1\.0 TB of 2\.0 TB/,
      /Main process\s+200 MB/,
      /Version\s+0\.0\.0-test/,
      /Users\s+2 users/,
    ])
      expect(page.text).toMatch(part)
    expect(page.links).toContain('/settings/users')
    expect(page.text).toContain('docsearch models use embeddinggemma')
    expect((await owner.get('/settings/profile')).links).toContain('/settings/instance')
  })

  test('a member gets 404, and no link', async () => {
    expect((await member.get('/settings/instance')).status).toBe(404)
    expect((await member.get('/settings/profile')).links).not.toContain('/settings/instance')
  })

  test('the bar tells the owner that it works, and members nothing', async () => {
    await until('the bar shows the state', async () => /Instance: OK/.test((await owner.get('/projects')).text))
    expect((await member.get('/projects')).text).not.toMatch(/Instance: OK|Works in part|Unavailable/)
  })

  test('the bar counts the documents in progress that the user sees', async () => {
    await app.stopReading()
    const uploaded = await app.bob.upload([{ name: 'later.txt', content: 'Later.' }])
    expect(uploaded.status).toBe(202)
    const page = await member.get('/projects')
    expect(page.text).toContain('1 document in progress')
    expect(page.links).toContain('/documents?tab=progress')
    expect((await owner.get('/projects')).text).not.toContain('in progress')
    expect((await member.get('/nothing')).text).toContain('Not found')
  })
})

describe('an instance that works in part', () => {
  let app: TestApp
  let asked = 0
  beforeAll(async () => {
    app = await startTestApp({
      change: () => ({
        disk: async () => {
          asked += 1
          return { ok: false, message: 'only 3 MB free', freeBytes: 3e6 }
        },
      }),
    })
  })
  afterAll(() => app?.close())

  async function barOf(browser: WebClient): Promise<WebPage> {
    let page = await browser.get('/projects')
    await until('the bar shows the state', async () => {
      page = await browser.get('/projects')
      return page.text.includes('Works in part')
    })
    return page
  }

  test('everybody learns it in words, and only the owner gets a link and the reason', async () => {
    const owner = await loggedIn(app, 'alice@example.org')
    const member = await loggedIn(app, 'bob@example.org')
    expect((await barOf(owner)).html).toMatch(/<a class="dot degraded" href="\/settings\/instance">Works in part<\/a>/)
    const seen = await barOf(member)
    expect(seen.html).toMatch(/<span class="dot degraded">Works in part<\/span>/)
    expect(seen.text).not.toContain('3 MB')
    const page = await owner.get('/settings/instance')
    expect(page.text).toMatch(/Disk Works in part\s+State\s*only 3 MB free\s+What to do\s*Free some space/)
  })

  test('views ask for the state rarely', async () => {
    const member = await loggedIn(app, 'bob@example.org')
    const before = asked
    for (let i = 0; i < 20; i++) await member.get('/projects')
    expect(asked - before).toBeLessThanOrEqual(2)
  })
})

test('a view is shown when the state of the instance is unknown', async () => {
  const app = await startTestApp({
    change: ({ records }) => ({
      records: {
        ...records,
        documents: {
          ...records.documents,
          countPending: async () => {
            throw new Error('no database')
          },
        },
      },
    }),
  })
  try {
    const page = await (await loggedIn(app, 'bob@example.org')).get('/settings/profile')
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Unavailable')])
  } finally {
    await app.close()
  }
})
