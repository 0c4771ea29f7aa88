import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { BIN, cleanEnv, type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { until } from '../support/until.ts'

const ERAS = { 'of 2026': { pin: '2026-07-28' }, 'of 2025': 'legacy' } as const

let daemon: RealDaemon
beforeAll(async () => {
  daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  const input = 'The capybara bathes in the café.'
  expect(await runCli(['upload', '-', '--name', 'zoo é.txt', '--wait'], daemon.env, input)).toMatchObject({ code: 0 })
})
afterAll(() => daemon?.dispose())

async function connect(env: Record<string, string>, era: keyof typeof ERAS = 'of 2026'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: ERAS[era] } })
  const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env, stderr: 'ignore' })
  await client.connect(transport)
  return client
}

describe.each(Object.keys(ERAS) as (keyof typeof ERAS)[])("the official SDK's client %s", (era) => {
  test('searches and reads through docsearch mcp', async () => {
    const client = await connect(daemon.env, era)
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['search', 'fetch', 'get_document', 'list_projects'])
      const found = await client.callTool({ name: 'search', arguments: { query: 'capybara' } })
      const [first] = (found.structuredContent as { results: { id: string; title: string }[] }).results
      expect(first?.title).toBe('zoo é.txt')
      const read = await client.callTool({ name: 'fetch', arguments: { id: first!.id } })
      expect(read.structuredContent).toMatchObject({ text: 'The capybara bathes in the café.' })
      const uri = `docsearch://documents/${first!.id.split(':')[0]!}/pages/1`
      expect((await client.readResource({ uri })).contents).toMatchObject([{ text: 'The capybara bathes in the café.' }])
      await expect(client.readResource({ uri: 'docsearch://documents/né/pages/1' })).rejects.toThrow('no document')
      expect(await client.callTool({ name: 'fetch', arguments: { id: 'doc_x' } })).toMatchObject({ isError: true })
    } finally {
      await client.close()
    }
  })
})

const message = (id: number, method: string, params = {}) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { jsonrpc: string; id: number | null; error?: { code: number; message: string } })

test('standard output has one message of the protocol in each line, whatever arrives', async () => {
  const input = [message(1, 'tools/list'), 'not a message', '', '[1]', message(2, 'no/such/method'), message(3, 'ping')]
  const { code, stdout, stderr } = await runCli(['mcp'], daemon.env, `${input.join('\n')}\n`)
  expect([code, stderr]).toEqual([0, ''])
  const answers = linesOf(stdout)
  expect(answers.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
  expect(answers.map(({ id, error }) => `${id} ${error?.code ?? 'ok'}`).toSorted()).toEqual(
    ['1 ok', '2 -32601', '3 ok', 'null -32700', 'null -32700'].toSorted(),
  )
})

test('a login that is missing is reported on standard error', async () => {
  const env = { ...daemon.env, XDG_CONFIG_HOME: await mkdtemp(join(tmpdir(), 'docsearch-mcp-')), DOCSEARCH_DATA: '/nowhere' }
  onTestFinished(() => rm(env.XDG_CONFIG_HOME, { recursive: true }))
  const { code, stdout, stderr } = await runCli(['mcp'], env, message(1, 'ping'))
  expect([code, stdout, stderr]).toEqual([4, '', expect.stringContaining('docsearch login')])
})

test('a credential that ends is an answer that says what to do', async () => {
  const env = { ...daemon.env, DOCSEARCH_TOKEN: `dsk_${'x'.repeat(36)}` }
  const { code, stdout } = await runCli(['mcp'], env, `${message(1, 'tools/list')}\n`)
  expect(code).toBe(0)
  expect(linesOf(stdout)).toMatchObject([{ id: 1, error: { message: expect.stringContaining('log in again') as string } }])
})

describe('without an instance', () => {
  test('two agents at once start one instance, which keeps running', async () => {
    const home = await mkdtemp(join(tmpdir(), 'docsearch-mcp-'))
    const dataDir = join(home, 'instance')
    const env = cleanEnv(home, { DOCSEARCH_DATA: dataDir, DOCSEARCH_EMBEDDER: 'builtin', DOCSEARCH_PORT: '0' })
    const pid = () => (JSON.parse(readFileSync(join(dataDir, 'daemon.json'), 'utf8')) as { pid: number }).pid
    try {
      const clients = await Promise.all([connect(env, 'of 2025'), connect(env, 'of 2025')])
      for (const client of clients)
        expect((await client.callTool({ name: 'list_projects', arguments: {} })).structuredContent).toMatchObject({
          projects: [{ name: 'default' }],
        })
      const first = pid()
      await Promise.all(clients.map((client) => client.close()))
      expect(await runCli(['projects', 'list'], env)).toMatchObject({ code: 0 })
      const again = await connect(env)
      await again.close()
      expect(pid()).toBe(first)
    } finally {
      const last = pid()
      process.kill(last, 'SIGTERM')
      await until('the instance to stop', () => !isAlive(last))
      await rm(home, { recursive: true, force: true })
    }
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
