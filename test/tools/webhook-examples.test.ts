import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { WebhookWithSecret } from '../../src/contract/webhooks.ts'
import { startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { rest } from '../support/rest.ts'
import { root } from '../support/sources.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'
import { freePort } from '../support/free-port.ts'

// Runs the receivers of docs/webhooks.md as they stand there.

let daemon: RealDaemon
let key: string
beforeAll(async () => {
  const allowed = { DOCSEARCH_WEBHOOKS_PLAIN_HTTP: 'true', DOCSEARCH_WEBHOOKS_PRIVATE_NETWORKS: 'true' }
  daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin', ...allowed } })
  key = await daemon.token()
})
afterAll(() => daemon?.dispose())

const hasPython = spawnSync('python3', ['-c', 'import hmac']).status === 0

/** Starts a receiver with the secret of a new webhook, and returns what it prints. */
async function startReceiver(command: string, name: string, project: string) {
  const api = rest(daemon.url, key)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  await api.call('POST', '/api/v1/projects', { name: project })
  const { body: webhook } = await api.call<WebhookWithSecret>('POST', `/api/v1/projects/${project}/webhooks`, { url })
  const page = readFileSync(join(root, 'docs', 'webhooks.md'), 'utf8')
  const [, code] = new RegExp(`<!-- ${name} -->\\n\\n\`\`\`\\w+\\n(.*?)^\`\`\``, 'ms').exec(page) ?? []
  expect(code, `the example ${name}`).toBeDefined()
  const folder = await tempFolder()
  writeFileSync(join(folder, name), code!)
  const env = { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: webhook.secret, PORT: String(port) }
  const receiver = spawn(command, [name], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void receiver.kill())
  let printed = ''
  for (const stream of [receiver.stdout, receiver.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await until('the receiver listens', () => printed.includes('listening'))
  return { api, url, printed: () => printed }
}

async function expectMessages(command: string, name: string, project: string): Promise<void> {
  const { api, url, printed } = await startReceiver(command, name, project)
  const files = [{ name: 'lease.txt', content: 'The lease ends in June.' }]
  const { body } = await api.upload(files, { project, wait: true })
  await until('the document is ready', () => printed().includes('document.ready lease.txt\n'))
  await api.call('DELETE', `/api/v1/documents/${body.documents[0]!.id}`)
  await until('the document is deleted', () => printed().includes('document.deleted lease.txt\n'))
  const at = String(Math.floor(Date.now() / 1000))
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': at, 'webhook-signature': `v1,${'A'.repeat(43)}=` }
  const forged = await fetch(url, { method: 'POST', headers, body: '{"type":"forged","data":{}}' })
  const unsigned = await fetch(url, { method: 'POST', body: '{"type":"forged","data":{}}' })
  expect([forged.status, unsigned.status, printed()]).toEqual([401, 401, expect.not.stringContaining('forged')])
}

test('the receiver in JavaScript verifies and prints messages', () => {
  return expectMessages(process.execPath, 'receiver.mjs', 'javascript')
})

test.skipIf(!hasPython)('the receiver in Python verifies and prints messages (skipped without python3)', () => {
  return expectMessages('python3', 'receiver.py', 'python')
})
