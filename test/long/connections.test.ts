import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { reportFaults } from '../support/fault-report.ts'
import { generatedText } from '../support/generated-text.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { residentMemory } from '../support/memory.ts'
import { expectTidy, found } from '../support/promises.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

const CONNECTIONS = 1_000
/** The most by which all connections of a test may make the daemon grow. This includes the search and the upload during the test. */
const MAX_BYTES = CONNECTIONS * 256 * 1024
const READERS = 50
/** If the daemon read the original as a whole for each reader, it would grow by four times MAX_BYTES. */
const BIG_BYTES = 19 * 1024 * 1024

let instance: Instance
let running: Running
const word = rareWord()
let bigId = ''

beforeAll(async () => {
  instance = await newInstance()
  running = await instance.start()
  await running.upload([{ name: 'note.txt', content: textWith(word) }], { wait: true })
  const { document } = generatedText()
  const part = `${document(1).content}\n`
  const content = part.repeat(Math.ceil(BIG_BYTES / part.length)).slice(0, BIG_BYTES)
  const { body } = await running.upload([{ name: 'big.txt', content }])
  bigId = body.documents[0]!.id
  await running.settled(600_000)
})
afterAll(() => instance?.remove())

/** Opens connections on which a client sends `head` and then nothing. */
async function open(count: number, head: string): Promise<Socket[]> {
  const { port, hostname } = new URL(running.url)
  const sockets = Array.from({ length: count }, () => connect({ port: Number(port), host: hostname }).on('error', () => {}))
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.write(head)
  return sockets
}

const request = (method: string, path: string, headers = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: ${new URL(running.url).host}\r\nAuthorization: Bearer ${running.token}\r\n${headers}`

const handles = (): number => readdirSync(`/proc/${running.daemon.pid}/fd`).length

/** Others can search, upload and ask for health while these connections are open, and nothing of them remains afterwards. */
async function expectWork(sockets: readonly Socket[], before: { handles: number; memory: number }): Promise<void> {
  expect(await found(running, word)).toEqual(['note.txt'])
  expect((await running.health()).status).toBe('ok')
  const own = rareWord()
  const { status } = await running.upload([{ name: 'while.txt', content: textWith(own) }], { wait: true })
  expect(status).toBe(200)
  expect(await found(running, own)).toEqual(['while.txt'])
  const memory = residentMemory(running.daemon.pid)
  for (const socket of sockets) socket.destroy()
  await until('the connections to be closed', () => handles() <= before.handles + 10)
  console.log(
    JSON.stringify({ connections: sockets.length, kilobytesEach: Math.round((memory - before.memory) / sockets.length / 1024) }),
  )
  expect(memory - before.memory).toBeLessThan(MAX_BYTES)
  await expectTidy(running, instance.dataDir)
}

const now = (): { handles: number; memory: number } => ({ handles: handles(), memory: residentMemory(running.daemon.pid) })

const STALLS: readonly (readonly [how: string, head: () => string])[] = [
  ['that are idle', () => ''],
  ['that stop in the middle of a header', () => request('GET', '/api/v1/me', 'X-Slow: a')],
  [
    'that stop in the middle of a body',
    () => request('POST', '/api/v1/search', 'Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{'),
  ],
  ['that asked for an answer and don’t read it', () => `${request('GET', '/api/v1/documents?limit=100')}\r\n`],
]

test.for(STALLS)(`${CONNECTIONS} connections %s hold nobody up`, async ([how, head]) => {
  const before = now()
  const sockets = await open(CONNECTIONS, head())
  await expectWork(sockets, before)
  reportFaults({ fault: `connections ${how}`, tried: CONNECTIONS, documents: 1 })
})

test('clients that read a large original slowly do not slow down other requests', async () => {
  const before = now()
  const sockets = await open(READERS, `${request('GET', `/api/v1/documents/${bigId}/content`)}\r\n`)
  for (const socket of sockets) socket.pause()
  await pause(1_000)
  await expectWork(sockets, before)
  reportFaults({ fault: 'clients that read an original slowly', tried: sockets.length, documents: 1 })
})
