import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { until, within } from '../support/until.ts'
import { loggedIn } from '../support/web-client.ts'
import { visibleTo } from '../support/visible.ts'

let app: TestApp
beforeAll(async () => {
  // Open requests are never looked at, so only the check after the body can refuse them.
  app = await startTestApp({ credentialCheckMs: 3_600_000 })
})
afterAll(() => app?.close())

/** Sends a request without the last byte of its body. `complete` sends it and returns the answer. */
async function sendMost(line: string, headers: Record<string, string>, body: string) {
  const { hostname, port, host } = new URL(app.url)
  const socket: Socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let said = ''
  socket.setEncoding('utf8').on('data', (text: string) => (said += text))
  const closed = once(socket, 'close').then(() => said)
  const all = { Host: host, Connection: 'close', 'Content-Length': String(body.length), ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n${body.slice(0, -1)}`)
  return {
    complete() {
      socket.write(body.slice(-1))
      return within('the answer', closed)
    },
  }
}

async function newKey() {
  const { records, apiKeys } = app.backend
  const user = (await records.users.findByEmail('bob@example.org'))!
  const { key, record } = await apiKeys.create({ ownerId: user.id, name: 'k', scopes: SCOPES, expiresAt: null })
  const isUsed = async () =>
    (await records.keys.list(user.id, { limit: 100 })).items.some((one) => one.id === record.id && one.lastUsedAt)
  return { user, authorization: `Bearer ${key}`, isUsed, end: () => records.keys.delete(user.id, record.id) }
}

test.each([
  ['an upload', 'POST /api/v1/upload?name=a.txt', 'text/plain', 'Some words.'],
  ['JSON', 'POST /api/v1/projects', 'application/json', '{"name":"late"}'],
])('%s that arrives after its key was deleted changes nothing', async (_, line, type, body) => {
  const { user, authorization, isUsed, end } = await newKey()
  const request = await sendMost(line, { Authorization: authorization, 'Content-Type': type }, body)
  await until('the key to be accepted', isUsed)
  await end()
  const answer = await request.complete()
  expect(answer).toMatch(/^HTTP\/1.1 401 /)
  expect(answer).toContain(`"code":"${errorCode('invalid_token')}"`)
  const { records } = app.backend
  expect((await records.members.visibleTo(user.id)).projects).toEqual([])
  expect([(await records.documents.list(await visibleTo(records, user.id), { limit: 10 })).items, await app.received()]).toEqual([
    [],
    [],
  ])
})

test('a form that arrives after its session has ended changes nothing', async () => {
  const browser = await loggedIn(app, 'alice@example.org')
  const { records, accounts } = app.backend
  const { id, name } = (await records.users.owner())!
  const form = (await browser.get('/settings/profile')).form('/settings/profile')
  const fields = form.fields.map(([field, value]): [string, string] => [field, field === 'name' ? 'Mallory' : value])
  const headers = {
    Cookie: [...browser.cookies].map(([cookie, value]) => `${cookie}=${value}`).join('; '),
    'Content-Type': 'application/x-www-form-urlencoded',
    Origin: app.url,
    'Sec-Fetch-Site': 'same-origin',
  }
  const request = await sendMost('POST /settings/profile', headers, new URLSearchParams(fields).toString())
  // The instance handles what arrives before what comes later.
  await app.stranger.get('/api/v1/health')
  await accounts.endOtherSessions(id, null)
  expect(await request.complete()).not.toMatch(/^HTTP\/1.1 2/)
  expect((await records.users.owner())!.name).toBe(name)
})
