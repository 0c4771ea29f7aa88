import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

let app: TestApp
let alice: WebClient
let cookie: string
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  await app.alice.ready('lease.txt', 'The notice period is three months.')
})
afterAll(() => app?.close())

interface Raw {
  status: number
  encoding: string | undefined
  vary: string
  etag: string | undefined
  body: Buffer
}

/** Sends a GET whose answer is not decompressed. */
function get(path: string, headers: Record<string, string>): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, app.url), { headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          encoding: response.headers['content-encoding'],
          vary: response.headers['vary'] ?? '',
          etag: response.headers['etag'],
          body: Buffer.concat(parts),
        }),
      )
    })
    sent.on('error', reject).end()
  })
}

const BROWSER = { 'Accept-Encoding': 'gzip, deflate, br, zstd', Accept: 'text/html' }
const own = () => ({ ...BROWSER, Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })

describe('answers that are the same for everybody', () => {
  test.each(['/api/docs', '/api/openapi.json', '/api/docs/style.css', '/assets/style.css', '/assets/script.js'])(
    '%s is compressed for whoever accepts it, with an ETag for each encoding',
    async (path) => {
      const plain = await get(path, {})
      const br = await get(path, BROWSER)
      const gzip = await get(path, { 'Accept-Encoding': 'gzip, br;q=0' })
      expect([plain.encoding, br.encoding, gzip.encoding]).toEqual([undefined, 'br', 'gzip'])
      expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
      expect(br.body.length).toBeLessThan(plain.body.length / 2)
      expect(new Set([plain.etag, br.etag, gzip.etag]).size).toBe(3)
      for (const answer of [plain, br, gzip]) expect(answer.vary).toContain('Accept-Encoding')
      const current = await get(path, { ...BROWSER, 'If-None-Match': br.etag! })
      expect([current.status, current.body.length]).toEqual([304, 0])
      expect((await get(path, { 'If-None-Match': br.etag! })).status).toBe(200)
    },
  )
})

describe('views', () => {
  const path = '/?q=notice+period'

  test('of the own user are compressed', async () => {
    const plain = await get(path, { ...own(), 'Accept-Encoding': 'identity' })
    const html = brotliDecompressSync((await get(path, own())).body).toString()
    expect(plain.encoding).toBeUndefined()
    expect(html).toContain('lease.txt')
    expect((await get(path, { ...own(), 'Sec-Fetch-Site': 'none', 'Accept-Encoding': 'gzip' })).encoding).toBe('gzip')
  })

  test.each(['cross-site', 'same-site', ''])('that another site caused are not (Sec-Fetch-Site: %s)', async (site) => {
    const headers = Object.fromEntries(Object.entries({ ...own(), 'Sec-Fetch-Site': site }).filter(([, value]) => value !== ''))
    const page = await get(path, headers)
    expect([page.status, page.encoding, page.vary]).toEqual([200, undefined, expect.stringContaining('Sec-Fetch-Site')])
    expect(page.body.toString()).toContain('lease.txt')
  })

  test('without a login are not', async () => {
    for (const at of ['/login', '/setup?token=x', '/api/oauth/authorize?client_id=x'])
      expect((await get(at, own())).encoding).toBeUndefined()
  })

  test('have another token for their forms in each answer, the same in all forms of one, and each token is valid', async () => {
    const tokens = []
    for (let i = 0; i < 3; i++) {
      const page = await alice.get('/settings/profile')
      const own = new Set(
        page.forms.flatMap(({ fields }) => fields.filter(([name]) => name === 'csrf').map(([, value]) => value)),
      )
      expect(own.size).toBe(1)
      tokens.push(...own)
    }
    expect(new Set(tokens).size).toBe(3)
    for (const csrf of tokens) {
      const saved = await alice.post('/settings/profile', { csrf, name: 'Alice', email: 'alice@example.org' })
      expect(saved.status).toBe(303)
      // The last character has unused bits.
      const changed = `${csrf[0] === 'A' ? 'B' : 'A'}${csrf.slice(1)}`
      expect((await alice.post('/settings/profile', { csrf: changed, name: 'Mallory', email: 'alice@example.org' })).status).toBe(
        403,
      )
    }
  })
})
