import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BIN, cleanEnv, startRealDaemon } from '../support/daemon.ts'
import { mountTmpfs } from '../support/mount.ts'
import { until } from '../support/until.ts'

/** `docsearch mcp` of a user who has no instance, and its data folder. */
let home: string
let dataDir: string
const clients: Client[] = []
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'docsearch-mcp-start-'))
  dataDir = join(home, 'instance')
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  const pid = await pidOf(dataDir)
  if (pid !== null) {
    process.kill(pid, 'SIGTERM')
    await until('the instance to stop', async () => (await pidOf(dataDir)) === null)
  }
  await rm(home, { recursive: true, force: true })
})

/** Returns the process of the daemon that announced itself; null if there is none. */
async function pidOf(folder: string): Promise<number | null> {
  try {
    return (JSON.parse(await readFile(join(folder, 'daemon.json'), 'utf8')) as { pid: number }).pid
  } catch {
    return null
  }
}

interface Agent {
  listProjects(): Promise<{ isError: boolean; text: string }>
  tools(): Promise<string[]>
  stderr(): string
}

async function startAgent(settings: Record<string, string> = {}): Promise<Agent> {
  const env = cleanEnv(home, { DOCSEARCH_DATA: dataDir, DOCSEARCH_EMBEDDER: 'builtin', DOCSEARCH_PORT: '0', ...settings })
  const client = new Client({ name: 'test', version: '1' })
  clients.push(client)
  const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env, stderr: 'pipe' })
  let stderr = ''
  transport.stderr!.on('data', (part: Buffer) => (stderr += part.toString('utf8')))
  await client.connect(transport)
  return {
    async listProjects() {
      const { isError = false, content } = await client.callTool({ name: 'list_projects', arguments: {} }, { timeout: 60_000 })
      return { isError: isError === true, text: content[0]?.type === 'text' ? content[0].text : '' }
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    stderr: () => stderr,
  }
}

/** Each call fails with this message, which is on standard error as well, and the agent knows the tools nevertheless. */
async function expectFailure(agent: Agent, message: string): Promise<void> {
  const { isError, text } = await agent.listProjects()
  expect([isError, text]).toEqual([true, expect.stringContaining(message)])
  expect(agent.stderr()).toContain(text)
  expect(await agent.tools()).toEqual(['search', 'fetch', 'get_document', 'list_projects'])
}

const WORKS = { isError: false, text: expect.stringContaining('"name":"default"') as string }

test('an agent learns that the port is taken, and its next call works when the port is free', async () => {
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as AddressInfo
  const agent = await startAgent({ DOCSEARCH_PORT: String(port) })
  await expectFailure(agent, `Port ${port} on 127.0.0.1 is in use`)
  await expectFailure(agent, 'set the port as DOCSEARCH_PORT')
  other.close()
  await once(other, 'close')
  expect(await agent.listProjects()).toEqual(WORKS)
  expect(await agent.tools()).toContain('search')
})

test('an agent learns that the data folder is not a folder', async () => {
  writeFileSync(dataDir, 'a file')
  await expectFailure(await startAgent(), `The data folder ${dataDir} is not a folder. For \`docsearch mcp\`, set the folder as`)
})

test('an agent learns that the disk is full, even if its log has no room for that', async ({ skip }) => {
  mkdirSync(dataDir)
  const mount = mountTmpfs(dataDir, '64k')
  skip(mount === null, 'this machine does not allow mounting a small file system')
  try {
    await expectFailure(await startAgent(), `The disk that holds the data folder ${dataDir} is full. Free some space.`)
  } finally {
    mount?.unmount()
  }
})

test('an agent waits for a daemon that another process is starting', async () => {
  mkdirSync(dataDir, { mode: 0o700 })
  // The lock that a daemon takes first. Opening the data and loading the index can take long after that.
  const lock = new DatabaseSync(join(dataDir, 'daemon.lock'))
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  const agent = await startAgent()
  expect(await agent.tools()).toContain('search')
  const called = agent.listProjects()
  await until('the agent to see the lock', async () =>
    (await readFile(join(dataDir, 'daemon.log'), 'utf8')).includes('data_in_use'),
  )
  lock.close()
  const daemon = await startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  expect(await called).toEqual(WORKS)
  await daemon.stop()
})
