import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { until } from '../support/until.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

let app: TestApp
let alice: WebClient
let csrf: string
beforeAll(async () => {
  app = await startTestApp({ limits: { requestFiles: 3, fileBytes: 100_000 } })
  alice = await loggedIn(app, 'alice@example.org')
  csrf = await tokenOf(alice)
})
afterAll(() => app?.close())

async function tokenOf(client: WebClient): Promise<string> {
  return Object.fromEntries((await client.get('/upload')).form('/upload').fields)['csrf']!
}

type Part = [name: string, value: string] | [name: string, content: string, fileName: string]

/** Posts parts in this order, like a browser without scripts, which sends folders as part of the names. */
async function post(parts: readonly Part[], { client = alice, accept = 'text/html' } = {}) {
  const text = parts.map(
    ([name, value, fileName]) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n\r\n${value}\r\n`,
  )
  const headers = { Accept: accept, 'Content-Type': 'multipart/form-data; boundary=b', 'Sec-Fetch-Site': 'same-origin' }
  return await client.send('POST', '/upload', `${text.join('')}--b--\r\n`, headers)
}

const fields = (project: string, more: Part[] = []): Part[] => [['csrf', csrf], ['project', project], ...more]

test('a form without scripts uploads files with their folders to a new project, and the next view shows what becomes of them', async () => {
  const answer = await post([
    ...fields('default', [
      ['new_project', 'Harbour'],
      ['tags', 'port, 2026'],
    ]),
    ['file', 'The heron stands in the harbour.', 'heron.txt'],
    ['file', 'The lantern burns at night.', 'tower/notes/lantern.txt'],
    // The empty field for a folder.
    ['file', '', ''],
  ])
  expect([answer.status, answer.location]).toEqual([303, expect.stringMatching(/^\/upload\/progress\?ids=doc_\w+,doc_\w+$/)])
  const done = await until('both documents to be ready', async () => {
    const page = await alice.get(answer.location!)
    return page.text.includes('2 ready') && page
  })
  expect(done.text).toMatch(/heron\.txt.*Ready.*tower\/notes\/lantern\.txt.*Ready/s)
  const { body } = await app.alice.get<{ documents: { path: string; name: string; tags: string[] }[] }>(
    '/api/v1/documents?project=Harbour',
  )
  expect(
    body.documents.map(({ path, name, tags }) => ({ path, name, tags })).toSorted((a, b) => a.path.localeCompare(b.path)),
  ).toEqual([
    { path: 'heron.txt', name: 'heron.txt', tags: ['port', '2026'] },
    { path: 'tower/notes/lantern.txt', name: 'lantern.txt', tags: ['port', '2026'] },
  ])
})

test('files that are not accepted are named with the reason, and the others are stored', async () => {
  const names = ['<img src=x onerror=alert(1)>.exe', '\u202Egpj.exe']
  const page = await post([
    ...fields('default'),
    ['file', 'MZ\0\0binary', names[0]!],
    ['file', 'MZ\0\0binary', names[1]!],
    ['file', 'Words about herons.', 'fine.txt'],
  ])
  expect([page.status, page.location]).toEqual([200, null])
  expect(page.text).toContain('2 files were not accepted')
  expect(page.text).toMatch(/docsearch reads only/)
  expect(page.html).not.toContain('<img src=x')
  expect(page.html).toContain('&lt;img src=x onerror=alert(1)>.exe')
  expect(page.links.filter((link) => link.startsWith('/upload/progress'))).toEqual([
    expect.stringMatching(/^\/upload\/progress\?ids=doc_\w+$/),
  ])
})

test.each<[string, () => Part[], number, RegExp]>([
  ['no file', () => fields('default'), 422, /Choose files/],
  ['an empty file field', () => [...fields('default'), ['file', '', '']], 422, /Choose files/],
  [
    'too many files',
    () => [...fields('default'), ...[1, 2, 3, 4].map((n): Part => ['file', 'x', `${n}.txt`])],
    413,
    /at most 3 files/,
  ],
  ['an unknown project', () => [...fields('prj_01m84cf57wdve4dsek6eq2hcnj'), ['file', 'x', 'a.txt']], 404, /no project/i],
  [
    'a long name of a project',
    () => [...fields('default', [['new_project', 'x'.repeat(201)]]), ['file', 'x', 'a.txt']],
    400,
    /project/,
  ],
  [
    'control characters in a project',
    () => [...fields('default', [['new_project', 'a\u0007b']]), ['file', 'x', 'a.txt']],
    400,
    /control/,
  ],
  ['a long tag', () => [...fields('default', [['tags', 'x'.repeat(300)]]), ['file', 'x', 'a.txt']], 400, /tag of 300/],
])('%s: shows the form again with the reason', async (_name, parts, status, reason) => {
  const page = await post(parts())
  expect([page.status, page.text]).toEqual([status, expect.stringMatching(reason)])
  expect(page.form('/upload').fields.map(([name]) => name)).toContain('csrf')
  expect(await app.received()).toEqual([])
})

test.each<[string, () => Part[]]>([
  ['no token', () => [['file', 'x', 'a.txt']]],
  [
    'a wrong token',
    () => [
      ['csrf', `${csrf}A`],
      ['file', 'x', 'a.txt'],
    ],
  ],
  [
    'the token twice',
    () => [
      ['csrf', csrf],
      ['csrf', csrf],
      ['file', 'x', 'a.txt'],
    ],
  ],
  [
    'the token after the file',
    () => [
      ['file', 'x', 'a.txt'],
      ['csrf', csrf],
    ],
  ],
])('%s: refused, and nothing is stored', async (_name, parts) => {
  const before = await app.alice.get<{ documents: unknown[] }>('/api/v1/documents?limit=100')
  const page = await post([...parts()])
  expect([page.status, page.text]).toEqual([403, expect.stringContaining(errorCode('csrf_failed'))])
  expect(await app.received()).toEqual([])
  expect((await app.alice.get<{ documents: unknown[] }>('/api/v1/documents?limit=100')).body.documents).toHaveLength(
    before.body.documents.length,
  )
})

test('the script gets an answer for each file in its order, and problems as JSON', async () => {
  const page = await post(
    [...fields('default'), ['file', 'MZ\0\0binary', 'a.exe'], ['file', 'Words.', 'b.txt'], ['file', '', 'empty.txt']],
    { accept: 'application/json' },
  )
  expect(page.status).toBe(200)
  expect(JSON.parse(page.html)).toEqual({
    files: [
      { refusal: expect.stringMatching(/docsearch reads only/) },
      { id: expect.stringMatching(/^doc_/), url: expect.stringMatching(/^\/documents\/doc_/) },
      { refusal: expect.stringMatching(/empty/) },
    ],
  })
  const wrong = await post(
    [
      ['csrf', 'x'],
      ['file', 'x', 'a.txt'],
    ],
    { accept: 'application/json' },
  )
  expect([wrong.status, wrong.headers.get('content-type'), JSON.parse(wrong.html)]).toEqual([
    403,
    expect.stringContaining('application/problem+json'),
    expect.objectContaining({ code: 'csrf_failed' }),
  ])
  const bob = await loggedIn(app, 'bob@example.org')
  bob.cookies.clear()
  expect((await post([['file', 'x', 'a.txt']], { client: bob, accept: 'application/json' })).status).toBe(401)
})

test('a reader is not offered the project, and may not upload to it', async () => {
  const { body } = await app.alice.call<{ id: string }>('POST', '/api/v1/projects', { json: { name: 'Only for reading' } })
  await app.alice.call('PUT', `/api/v1/projects/${body.id}/members/bob@example.org`, { json: { role: 'reader' } })
  const bob = await loggedIn(app, 'bob@example.org')
  expect((await bob.get('/upload')).text).not.toContain('Only for reading')
  expect((await bob.get(`/projects/${body.id}`)).links.some((link) => link.startsWith('/upload?'))).toBe(false)
  expect((await alice.get(`/projects/${body.id}`)).links).toContain(`/upload?project=${body.id}`)
  const token = await tokenOf(bob)
  const page = await post(
    [
      ['csrf', token],
      ['project', body.id],
      ['file', 'x', 'a.txt'],
    ],
    { client: bob },
  )
  expect([page.status, page.text]).toEqual([403, expect.stringContaining(errorCode('insufficient_role'))])
})
