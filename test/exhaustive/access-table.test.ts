import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENDPOINTS } from '../support/api-table.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { API, VIEWS } from './access/table.ts'
import { MARK, ROLES, World, type Role } from './access/world.ts'

let app: TestApp
let world: World
beforeAll(async () => {
  app = await startTestApp({ limits: { apiKeys: 1e6, eventStreams: 1e6 } })
  world = new World(app)
  await world.prepare()
})
afterAll(() => app?.close())

interface Row {
  name: string
  method: string
  path: string
  groups: string[]
  sent: string
}

function rowsOf(table: string): Row[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [, method = '', path = '', letters = '', sent = ''] =
        /^([A-Z]+) +(\S+) +((?:[a-z=+*-]{5} ?)+) *(.*)$/.exec(line) ?? []
      return { name: `${method} ${path} ${sent}`.trim(), method, path, groups: letters.trim().split(' '), sent }
    })
}

const API_ROWS = rowsOf(API)
const VIEW_ROWS = rowsOf(VIEWS)

test('the table has a line for every endpoint and view', () => {
  const named = new Set([...API_ROWS, ...VIEW_ROWS].map(({ method, path }) => `${method} ${path}`))
  expect([...named].toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted())
  for (const [rows, groups] of [
    [API_ROWS, 3],
    [VIEW_ROWS, 1],
  ] as const)
    for (const row of rows) expect([row.name, row.groups.length]).toEqual([row.name, groups])
})

/** Requests that change nothing, although they are no GET. */
const READS = new Set(['/api/v1/search', '/api/v1/upload/plan', '/mcp'])
const isReading = ({ method, path }: Row) => method === 'GET' || READS.has(path)

/** Sends the request of a row as a user. Returns the letter of the answer. */
async function send(row: Row, role: Role, headers: Record<string, string>, csrf?: string): Promise<string> {
  const project = isReading(row) ? world.library : world.scratch
  const parameters = await world.parameters(row.path, role, project)
  const fill = (text: string) =>
    text
      .replaceAll(/\{(\w+)\}/g, (whole, name: string) => parameters[name] ?? whole)
      .replaceAll('$project', project.id)
      .replaceAll('$document', project.document)
      .replaceAll('$new', () => world.newName())
      .replaceAll('$email', world.users.get(role)!.email!)
      .replaceAll('$hash', 'f'.repeat(64))
  const query = row.sent.startsWith('?') ? fill(row.sent) : ''
  const { type, body } = bodyOf(row, row.sent.startsWith('{') ? fill(row.sent) : '', csrf)
  const leave = new AbortController()
  const response = await fetch(app.url + fill(row.path) + query, {
    method: row.method,
    redirect: 'manual',
    headers: { ...headers, ...(type !== null && { 'Content-Type': type }) },
    ...(body !== null && { body }),
    signal: leave.signal,
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const text = isStream ? '' : await response.text()
  leave.abort()
  if (!isReading(row) && response.status < 400) await world.renew()
  return letterOf(response, text)
}

function bodyOf({ method, path }: Row, json: string, csrf: string | undefined): { type: string | null; body: string | null } {
  if (method === 'GET') return { type: null, body: null }
  if (csrf !== undefined) {
    const fields = json === '' ? {} : (JSON.parse(json) as Record<string, string>)
    if (path === '/upload') return multipartOf({ csrf, ...fields })
    return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams({ csrf, ...fields }).toString() }
  }
  if (path === '/api/v1/upload') return { type: 'text/plain', body: 'Some words.' }
  return json === '' ? { type: null, body: null } : { type: 'application/json', body: json }
}

function multipartOf(fields: Record<string, string>): { type: string; body: string } {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${name === 'file' ? '; filename="a.txt"' : ''}\r\n\r\n${value}\r\n`,
  )
  return { type: 'multipart/form-data; boundary=b', body: `${parts.join('')}--b--\r\n` }
}

const REFUSALS: Record<string, string> = {
  insufficient_role: 'x',
  owner_only: 'o',
  limited_to_projects: 'l',
  insufficient_scope: 'k',
  csrf_failed: 'c',
}

function letterOf({ status, headers }: Response, text: string): string {
  if (status === 401) return 'u'
  if (status === 404) return MARK.test(text) ? '!' : '-'
  if (status === 403) return Object.entries(REFUSALS).find(([code]) => text.includes(code))?.[1] ?? '!'
  if (status >= 500) return '!'
  // The request of the row is not as the endpoint wants it, so it proves nothing.
  if (status === 400) return '?'
  if (status === 303 && headers.get('location')?.startsWith('/login') === true) return '>'
  return MARK.test(text) ? 's' : '='
}

/** Replaces answers that the table does not tell apart by its letters. */
function compare(expected: string, actual: string): string {
  const known = { '+': 's=', '*': '=->u?' } as Record<string, string>
  return [...actual].map((letter, i) => (known[expected[i]!]?.includes(letter) === true ? expected[i] : letter)).join('')
}

/** Sends the request of a row for each role. */
async function answers(row: Row, as: (role: Role) => Promise<[headers: Record<string, string>, csrf?: string]>): Promise<string> {
  let letters = ''
  for (const role of ROLES) letters += await send(row, role, ...(await as(role)))
  return letters
}

const cookieOf = (token: string) => ({ Cookie: `docsearch_${new URL(app.url).port}=${token}` })

test.each(API_ROWS)('$name', async (row) => {
  const isOpen = row.groups[0] === '*****'
  for (const kind of ['key', 'token'] as const) {
    const found = []
    for (const limit of ['none', 'here', 'elsewhere'] as const) {
      const letters = await answers(row, async (role) => {
        const project = isReading(row) ? world.library : world.scratch
        return [{ Authorization: `Bearer ${await world.credential(role, kind, limit === 'here' ? project : limit)}` }]
      })
      found.push(compare(row.groups[found.length]!, letters))
    }
    expect({ kind, found: found.join(' ') }).toEqual({ kind, found: row.groups.join(' ') })
  }
  const expected = isOpen ? '*****' : 'uuuuu'
  expect(compare(expected, await answers(row, async (role) => [cookieOf(await world.session(role))])), 'a session').toBe(expected)
  expect(compare(expected, await answers(row, async () => [{}])), 'no credential').toBe(expected)
})

test.each(VIEW_ROWS)('$name', async (row) => {
  const [group = ''] = row.groups
  const withSession = await answers(row, async (role) => {
    const token = await world.session(role)
    const form = createHmac('sha256', token).update('docsearch form').digest()
    // A pad of zeros leaves the token as it is.
    const csrf = Buffer.concat([Buffer.alloc(form.length), form]).toString('base64url')
    return [{ ...cookieOf(token), Accept: 'text/html' }, csrf]
  })
  expect(compare(group, withSession)).toBe(group)
  // A form with files is read only for a user who is logged in.
  const isRead = row.method === 'POST' && row.path !== '/upload'
  const expected = isRead ? 'ccccc' : group === '*****' ? '*****' : '>>>>>'
  for (const limit of ['none', 'elsewhere'] as const) {
    const withKey = await answers(row, async (role) => [
      { Authorization: `Bearer ${await world.credential(role, 'key', limit)}`, Accept: 'text/html' },
      '',
    ])
    expect(compare(expected, withKey), 'a key').toBe(expected)
  }
})
