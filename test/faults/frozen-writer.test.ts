import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parseEntry } from '../../src/index/segments/remote/commit-log.ts'
import { errorCode } from '../support/codes.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'

const PROGRAM = fileURLToPath(new URL('../support/commit-process.ts', import.meta.url))
const LOG = 'segments/idx/log/'

let server: TestStore
beforeAll(async () => {
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Starts a writer. `line` returns the next line that it prints. */
function startWriter(address: string, fence: number): { process: ChildProcess; line: () => Promise<string> } {
  const child = spawn(process.execPath, [PROGRAM, address, String(fence)], {
    env: { ...process.env, ...server.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { process: child, line: async () => (await lines.next()).value as string }
}

/** `committed` is the last number that was read before. */
async function lastLines(line: () => Promise<string>, committed: number): Promise<{ committed: number; end: string }> {
  for (;;) {
    const next = await line()
    if (!/^\d+$/.test(next)) return { committed, end: next }
    committed = Number(next)
  }
}

/** Returns the fences of all commits in their order, and what the last commit of each fence says. */
async function readLog(address: string): Promise<{ fences: number[]; last: Map<number, string | undefined> }> {
  const store = await openStore(server, {}, address)
  const [fences, last]: [number[], Map<number, string | undefined>] = [[], new Map()]
  for await (const { key } of store.list(LOG)) {
    const { fence, manifests } = parseEntry(await buffer((await store.read(key))!.stream), Number(key.slice(LOG.length)))
    fences.push(fence)
    if (manifests.size > 0) last.set(fence, manifests.get('count') ?? undefined)
  }
  return { fences, last }
}

test('a writer that is frozen between two commits and wakes up after a takeover cannot commit', async () => {
  const address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  const first = startWriter(address, 1)
  for (let i = 1; i <= 5; i++) expect(await first.line()).toBe(String(i))
  first.process.kill('SIGSTOP')
  const second = startWriter(address, 2)
  for (let i = 1; i <= 5; i++) expect(await second.line()).toBe(String(i))
  first.process.kill('SIGCONT')
  const { committed, end } = await lastLines(first.line, 5)
  expect(end).toBe(errorCode('writer_replaced'))
  expect(await second.line()).toBe('6')
  second.process.kill('SIGKILL')
  const { fences, last } = await readLog(address)
  // No commit of the first writer follows one of the second, and everything that it has confirmed is there.
  expect(fences).toEqual([...fences].sort((a, b) => a - b))
  expect(Number(last.get(1)!.split(':')[1])).toBeGreaterThanOrEqual(committed)
})

test('a commit that was on its way while its writer was frozen does not count after a takeover', async () => {
  const address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  const held = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  const first = startWriter(address, 1)
  for (let i = 1; i <= 3; i++) expect(await first.line()).toBe(String(i))
  server.proxy.fault = ({ method }) => {
    if (method !== 'PUT') return 'pass'
    isHeld.resolve()
    return held.promise
  }
  await isHeld.promise
  first.process.kill('SIGSTOP')
  server.proxy.fault = () => 'pass'
  const second = startWriter(address, 2)
  for (let i = 1; i <= 3; i++) expect(await second.line()).toBe(String(i))
  // The store now gets the commit of the first writer, and the first writer wakes up.
  held.resolve()
  first.process.kill('SIGCONT')
  const { committed, end } = await lastLines(first.line, 3)
  expect(end).toBe(errorCode('writer_replaced'))
  second.process.kill('SIGKILL')
  const { fences, last } = await readLog(address)
  expect(fences).toEqual([...fences].sort((a, b) => a - b))
  expect(last.get(1)).toBe(`1:${committed}`)
})
