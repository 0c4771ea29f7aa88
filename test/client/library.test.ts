import { createServer, request as forward } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Docsearch, RequestError } from '../../src/client/library/main.ts'
import type { DocsearchOptions } from '../../src/client/library/main.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { failure } from '../support/request-failure.ts'
import { within } from '../support/until.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

const as = (user: { key: string | null }, more: Partial<DocsearchOptions> = {}) =>
  new Docsearch({ url: app.url, apiKey: user.key!, ...more })
const textFile = (name: string, content = `The text of ${name}.`) => ({ name, content })

test('uploads a file of this machine, a File and bytes, waits, and finds their passages', async () => {
  const docsearch = as(app.alice)
  const onDisk = join(mkdtempSync(join(tmpdir(), 'docsearch-client-')), 'lease.txt')
  writeFileSync(onDisk, 'The rent is due on the third working day.')
  const { documents, rejected } = await docsearch.upload(
    [
      onDisk,
      new File(['The dripping tap is fixed by the landlord.'], 'repairs.txt'),
      textFile('pets.md', '# Pets\n\nA cat may stay.'),
    ],
    { project: 'flat', tags: ['signed'], path: ['papers/lease.txt', 'papers/repairs.txt', 'papers/pets.md'] },
  )
  expect(rejected).toEqual([])
  const ready = await docsearch.wait(documents)
  expect(ready.map(({ path, status, tags, ready_at }) => [path, status, tags, ready_at === null])).toEqual([
    ['papers/lease.txt', 'ready', ['signed'], false],
    ['papers/repairs.txt', 'ready', ['signed'], false],
    ['papers/pets.md', 'ready', ['signed'], false],
  ])
  const { results } = await docsearch.search({ query: 'when is the rent due', project: 'flat', limit: 1 })
  expect(results[0]).toMatchObject({ document: { name: 'lease.txt' }, text: 'The rent is due on the third working day.' })
  const [first] = ready
  expect(await docsearch.documents.text(first!.id)).toContain('third working day')
  const parts: Uint8Array[] = []
  for await (const part of docsearch.documents.content(first!.id)) parts.push(part)
  expect(Buffer.concat(parts).toString()).toBe('The rent is due on the third working day.')
  await docsearch.documents.delete(first!.id)
  expect(await failure(docsearch.documents.delete(first!.id))).toMatchObject({ status: 404, code: 'document_not_found' })
})

test('wait returns failed documents as well as ready ones, takes IDs, and calls back at each change', async () => {
  const limited = await startTestApp({ quotas: { passages: 2 } })
  onTestFinished(() => limited.close())
  const docsearch = new Docsearch({ url: limited.url, apiKey: limited.alice.key! })
  const long = Array.from({ length: 400 }, (_, i) => `# Okapi ${i}\n\nA paragraph about okapis.\n`).join('\n')
  const { documents } = await docsearch.upload([textFile('short.txt'), { name: 'long.md', content: long }])
  const ids = documents.map(({ id }) => id)
  const seen: string[] = []
  const done = await docsearch.wait(ids, { onChange: ({ id, status }) => seen.push(`${id} ${status}`) })
  expect(done.map(({ id, status, error }) => [id, status, error?.code])).toEqual([
    [ids[0], 'ready', undefined],
    [ids[1], 'failed', 'quota_exceeded'],
  ])
  expect(seen).toEqual(expect.arrayContaining([`${ids[0]} ready`, `${ids[1]} failed`]))
  expect(await docsearch.wait([])).toEqual([])
  expect(await failure(docsearch.wait('doc_00000000000000000000000000'))).toMatchObject({ status: 404 })
})

test('an upload sends as many requests as it needs, and stores nothing twice', async () => {
  const docsearch = as(app.bob)
  const files = Array.from({ length: 45 }, (_, i) => textFile(`note-${String(i).padStart(2, '0')}.txt`))
  const first = await docsearch.upload(files, { project: 'many' })
  expect(first.documents.map(({ outcome }) => outcome)).toEqual(files.map(() => 'created'))
  const again = await docsearch.upload(files, { project: 'many', onConflict: 'keep' })
  expect(again.documents.map(({ id }) => id)).toEqual(first.documents.map(({ id }) => id))
})

test('lists yield the entries of all pages, and a page has its cursor', async () => {
  const docsearch = as(app.bob)
  const names: string[] = []
  for await (const { name } of docsearch.documents.list({ project: 'many', limit: 7, sort: 'name' })) names.push(name)
  expect(names).toEqual(Array.from({ length: 45 }, (_, i) => `note-${String(i).padStart(2, '0')}.txt`))
  const page = await docsearch.documents.page({ project: 'many', limit: 7, sort: 'name' })
  expect([page.documents.length, typeof page.next_cursor]).toEqual([7, 'string'])
  const projects: string[] = []
  for await (const { name } of docsearch.projects.list({ limit: 1 })) projects.push(name)
  expect(projects).toContain('many')

  const { documents } = page
  await docsearch.wait((await docsearch.documents.page({ project: 'many', limit: 100 })).documents)
  const found = new Set<string>()
  for await (const { document } of docsearch.searchAll({ query: 'text', mode: 'keyword', project: 'many', limit: 10 }))
    found.add(document.id)
  expect(found.size).toBe(45)
  expect(found.has(documents[0]!.id)).toBe(true)
})

test('rejected files are listed, and an upload of which nothing is left throws', async () => {
  const docsearch = as(app.alice)
  const partly = await docsearch.upload([textFile('fine.txt'), { name: 'empty.txt', content: '' }], { project: 'refusals' })
  expect(partly.documents.map(({ name }) => name)).toEqual(['fine.txt'])
  expect(partly.rejected).toEqual([expect.objectContaining({ name: 'empty.txt', code: 'empty_file' })])
  const error = await failure(docsearch.upload({ name: 'empty.txt', content: '' }))
  expect(error).toMatchObject({ status: 422, code: 'empty_file' })
  expect(await failure(docsearch.upload('/nowhere/at-all.txt'))).toMatchObject({ code: 'file_unreadable', status: 0 })
  expect(await failure(docsearch.upload(tmpdir()))).toMatchObject({ code: 'file_unreadable' })
  expect(await failure(docsearch.upload([textFile('a.txt')], { path: ['a', 'b'] }))).toMatchObject({ code: 'invalid_request' })
})

test('an error has status, code, request ID and the faults of the request', async () => {
  const error = await failure(as(app.alice).search({ query: '', limit: 1000 }))
  expect(error).toMatchObject({ name: 'RequestError', status: 400, code: 'invalid_request', retryAfter: null })
  expect(error.requestId).toMatch(/^req_/)
  expect(error.errors.map(({ path }) => path)).toEqual(['query', 'limit'])
  expect(error.details['type']).toBeDefined()
  expect(await failure(as({ key: 'dsk_wrong' }).me())).toMatchObject({ status: 401, code: 'invalid_token' })
})

test('asks the token function again when the instance refuses a token', async () => {
  const refused: (string | undefined)[] = []
  const docsearch = new Docsearch({
    url: app.url,
    accessToken: async (token) => {
      refused.push(token)
      return token === undefined ? 'dsk_expired' : app.alice.key!
    },
  })
  expect((await docsearch.me()).user.name).toBe('Alice')
  expect(refused).toEqual([undefined, 'dsk_expired'])
  expect(() => new Docsearch({ url: app.url, apiKey: 'a', accessToken: 'b' })).toThrow(RequestError)
})

test('events go on after a lost connection, without a gap', async () => {
  const proxy = await breakableProxy(app.url)
  const listener = as(app.alice, { url: proxy.url })
  const stop = new AbortController()
  const { documents } = await as(app.alice).upload(textFile('before.txt'), { project: 'listening' })
  await as(app.alice).wait(documents)
  const seen: string[] = []
  const heard = (async () => {
    for await (const { type, document_id } of listener.events({ signal: stop.signal })) {
      seen.push(`${type} ${document_id}`)
      if (type === 'document.ready' && seen.filter((one) => one.startsWith('document.ready')).length === 2) return
    }
  })()
  await within('the stream opens', proxy.streamOpened())
  const one = await as(app.alice).upload(textFile('one.txt'), { project: 'listening' })
  await as(app.alice).wait(one.documents)
  proxy.cut()
  const two = await as(app.alice).upload(textFile('two.txt'), { project: 'listening' })
  await within('both documents are heard of', heard)
  for (const { id } of [...one.documents, ...two.documents])
    expect(seen.filter((event) => event === `document.ready ${id}`)).toHaveLength(1)
})

test('aborting ends a stream of events, and a wait', async () => {
  const docsearch = as(app.alice)
  const stop = new AbortController()
  const events = (async () => {
    for await (const event of docsearch.events({ signal: stop.signal })) expect(event).toBeDefined()
    return 'ended'
  })()
  stop.abort()
  expect(await within('the stream ends', events)).toBe('ended')
  expect(await failure(docsearch.wait('doc_1', { signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted' })
  expect(await failure(as(app.alice, { signal: AbortSignal.abort() }).me())).toMatchObject({ code: 'aborted' })
})

/** Passes connections on to an instance, and can break those that are open. */
async function breakableProxy(to: string) {
  const sockets = new Set<Socket>()
  let opened: () => void = () => undefined
  const streamOpened = new Promise<void>((resolve) => (opened = resolve))
  const server = createServer((incoming, outgoing) => {
    const passed = forward(to + incoming.url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => outgoing.destroy())
      answer.once('data', () => opened())
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streamOpened: () => streamOpened,
    cut: () => sockets.forEach((socket) => socket.destroy()),
  }
}
