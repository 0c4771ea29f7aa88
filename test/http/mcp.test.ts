import { Client, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

const ERAS = { 'of 2026': { pin: '2026-07-28' }, 'of 2025': 'legacy' } as const
type Era = keyof typeof ERAS

interface Found {
  results: { id: string; title: string; url: string; text: string; page_start: number; page_end: number; heading: string }[]
  pending_documents: number
}

let app: TestApp
let report: Document
beforeAll(async () => {
  app = await startTestApp()
  const pages = ['The capybara bathes.', 'The tapir sleeps. '.repeat(40), 'The agouti runs. '.repeat(40)]
  const id = await app.alice.ready('report.txt', pages.join('\f'), { project: 'Animals', path: 'zoo/report.txt' })
  report = (await app.alice.get<Document>(`/api/v1/documents/${id}`)).body
  await app.alice.ready('long.txt', `The capybara ${'walks on. '.repeat(3_000)}`, { project: 'Animals' })
  await app.bob.ready('of-bob.txt', 'The capybara of Bob.', { project: 'Of Bob' })
})
afterAll(() => app?.close())

async function connect(era: Era, key: string | null): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: ERAS[era] } })
  const headers: Record<string, string> = key === null ? {} : { Authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit: { headers } }))
  return client
}

async function withClient<T>(era: Era, key: string | null, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(era, key)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/** Calls a tool as Alice. Its text item must be the same JSON as its structured content. */
async function call(era: Era, name: string, args: Record<string, unknown>, key = app.alice.key) {
  return withClient(era, key, async (client) => {
    await client.listTools()
    const answer = await client.callTool({ name, arguments: args })
    const [item, ...others] = answer.content
    expect(others).toEqual([])
    const text = item?.type === 'text' ? item.text : ''
    if (answer.isError !== true) expect(JSON.parse(text)).toEqual(answer.structuredContent)
    return { isError: answer.isError === true, text, content: answer.structuredContent as Record<string, unknown> }
  })
}

/** Sends a message without the SDK. */
function post(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  const own = { Authorization: `Bearer ${app.alice.key}`, 'Content-Type': 'application/json' }
  return fetch(`${app.url}/mcp`, { method: 'POST', body, headers: { ...own, ...headers } })
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe.each(Object.keys(ERAS) as Era[])("the official SDK's client %s", (era) => {
  test('finds the tools in a fixed order, which only read', async () => {
    const { tools } = await withClient(era, app.alice.key, (client) => client.listTools())
    expect(tools.map(({ name }) => name)).toEqual(['search', 'fetch', 'get_document', 'list_projects'])
    for (const { annotations, outputSchema, inputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true, openWorldHint: false })
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
    }
  })

  test('searches, and reads on from the result', async () => {
    const { content } = await call(era, 'search', { query: 'tapir', project: 'Animals' })
    const [first] = (content as unknown as Found).results
    expect(first).toMatchObject({ title: 'report.txt', page_start: 2 })
    expect(first!.text).toContain('The tapir sleeps.')
    expect((await fetch(first!.url, { redirect: 'manual' })).status).toBe(303)
    const read = await call(era, 'fetch', { id: first!.id, max_chars: 1_000 })
    expect(read.content).toMatchObject({
      id: report.id,
      url: `${app.url}/documents/${report.id}?page=2`,
      metadata: { path: 'zoo/report.txt', pages: 3, project: 'Animals' },
      next: '3',
    })
    expect(String(read.content['text'])).toMatch(/^The tapir/)
    expect((await call(era, 'get_document', { id: report.id, pages: '3' })).content['text']).toMatch(/^The agouti/)
  })

  test('searches below a path, with at most as many results as asked for', async () => {
    const below = await call(era, 'search', { query: 'capybara', path_prefix: 'zoo/' })
    expect(new Set((below.content as unknown as Found).results.map(({ title }) => title))).toEqual(new Set(['report.txt']))
    const mail = await call(era, 'search', { query: 'capybara', from: 'ada', sent_after: '2024-05-03T00:00:00Z' })
    expect((mail.content as unknown as Found).results).toEqual([])
    const one = await call(era, 'search', { query: 'capybara', limit: 1 })
    expect((one.content as unknown as Found).results).toHaveLength(1)
  })

  test('lists the projects of its user, and reads a page as a resource', async () => {
    const { content } = await call(era, 'list_projects', {})
    expect(content).toEqual({ projects: [{ id: report.project.id, name: 'Animals', document_count: 2 }] })
    await withClient(era, app.alice.key, async (client) => {
      const { resourceTemplates } = await client.listResourceTemplates()
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['docsearch://documents/{id}/pages/{n}'])
      const { contents } = await client.readResource({ uri: `docsearch://documents/${report.id}/pages/1` })
      expect(contents).toMatchObject([{ mimeType: 'text/plain', text: 'The capybara bathes.' }])
      await expect(client.readResource({ uri: `docsearch://documents/${report.id}/pages/9` })).rejects.toThrow('no page 9')
    })
  })

  test.each([
    ['search', { query: 'capybara', project: 'Of Bob' }, /You have no project "Of Bob".*list_projects/],
    ['fetch', { id: 'doc_unknown' }, /You have no document with this ID.*result of the tool search/],
    ['fetch', { id: 'REPORT', pages: '9' }, /has 3 pages and no page 9.*without pages/],
    ['fetch', { id: 'REPORT', pages: '3-2' }, /Write it like "3" or "3-5"/],
    ['search', { query: 'capybara', projects: 'Animals' }, /projects/],
    ['search', { query: 'x', limit: 21 }, /limit/],
  ])('tells the model what is wrong with %s %j', async (tool, args, said) => {
    const filled = 'id' in args ? { ...args, id: args.id.replace('REPORT', report.id) } : args
    const { isError, text } = await call(era, tool, filled)
    expect([isError, text]).toEqual([true, expect.stringMatching(said)])
  })

  test('reads a page of any length in parts that fit together', async () => {
    const { content } = await call(era, 'search', { query: 'capybara walks', path_prefix: 'long' })
    const [{ id, text }] = (content as unknown as Found).results as [Found['results'][number]]
    expect(text.length).toBeLessThanOrEqual(1_200)
    let whole = ''
    let pages: string | undefined
    do {
      const part = (await call(era, 'fetch', { id, max_chars: 10_000, ...(pages !== undefined && { pages }) })).content
      expect(String(part['text']).length).toBeLessThanOrEqual(10_000)
      whole += String(part['text'])
      pages = part['next'] as string | undefined
    } while (pages !== undefined)
    expect(whole).toMatch(/^The capybara (walks on\. ){2999}walks on\.\s*$/)
  })

  test('is refused without a credential, and with one that was revoked', async () => {
    await expect(connect(era, null)).rejects.toThrow()
    const made = (await app.alice.post<{ id: string; key: string }>('/api/v1/keys', { name: 'agent' })).body
    await withClient(era, made.key, async (client) => {
      await client.listTools()
      await app.alice.call('DELETE', `/api/v1/keys/${made.id}`)
      const refused = client.callTool({ name: 'list_projects', arguments: {} })
      await expect(refused).rejects.toBeInstanceOf(SdkHttpError)
    })
  })
})

test('a refusal leads to the metadata of this resource', async () => {
  const { status, headers } = await post(LIST, { Authorization: '' })
  expect(status).toBe(401)
  const metadata = `${app.url}/.well-known/oauth-protected-resource/mcp`
  expect(headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`)
  expect(await (await fetch(metadata)).json()).toMatchObject({ resource: `${app.url}/mcp`, authorization_servers: [app.url] })
})

test('a credential without read:documents is refused with the scope that it needs', async () => {
  const { status, headers } = await post(LIST, { Authorization: `Bearer ${(await app.aliceWith('manage:keys')).key}` })
  expect([status, headers.get('www-authenticate')]).toEqual([403, expect.stringContaining('scope="read:documents"')])
})

test('a web page of another origin is refused, and one of this instance is not', async () => {
  for (const origin of ['https://evil.example', 'null', `${app.url}.evil.example`]) {
    const refused = await post(LIST, { Origin: origin })
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: errorCode('origin_not_allowed') }])
  }
  expect((await post(LIST, { Origin: app.url })).status).toBe(200)
})

test('one request has one message of a limited length', async () => {
  expect((await post([LIST, LIST])).status).toBe(400)
  expect((await post({ ...LIST, params: { cursor: 'x'.repeat(100_000) } })).status).toBe(413)
  const unreadable = await post('{')
  expect([unreadable.status, await unreadable.json()]).toMatchObject([400, { error: { code: -32_700 } }])
})

test('nothing is streamed', async () => {
  expect((await fetch(`${app.url}/mcp`, { headers: { Authorization: `Bearer ${app.alice.key}` } })).status).toBe(405)
  await withClient('of 2026', app.alice.key, async (client) => {
    await expect(client.request({ method: 'subscriptions/listen', params: { notifications: {} } })).rejects.toThrow()
  })
})
