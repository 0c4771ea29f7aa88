import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { CommitLog } from '../../src/index/segments/remote/commit-log.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { errorCode } from '../support/codes.ts'
import { startS3rver, type TestStore } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'

let server: TestStore
let store: ObjectStore
beforeAll(async () => {
  server = await startS3rver({ addsConditions: true })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  store = await openStore(server, { retries: 1 })
})
afterEach(() => {
  server.proxy.fault = () => 'pass'
})

const open = () => CommitLog.open(store, 'idx')
async function openWriter(fence: number): Promise<CommitLog> {
  const log = await open()
  await log.takeOver({ fence })
  return log
}
const replaced = { code: errorCode('writer_replaced') }
const commit = (log: CommitLog, projectId: string, manifest: string | null) => log.append(new Map([[projectId, manifest]]))

test('a reader sees what a writer has committed, and which projects have changed', async () => {
  const [writer, reader] = [await openWriter(1), await open()]
  await reader.follow()
  await writer.append(
    new Map([
      ['a', 'a1'],
      ['b', 'b1'],
    ]),
  )
  await commit(writer, 'a', 'a2')
  expect([...(await reader.follow())].sort()).toEqual(['a', 'b'])
  await commit(writer, 'b', null)
  expect([...(await reader.follow())]).toEqual(['b'])
  expect([...reader.manifests]).toEqual([['a', 'a2']])
  expect(reader.version).toBe(writer.version)
  expect([...(await reader.follow())]).toEqual([])
})

test('a writer that was replaced cannot commit, even if the later writer has not committed anything yet', async () => {
  const first = await openWriter(1)
  await commit(first, 'a', 'kept')
  const second = await openWriter(2)
  await expect(commit(first, 'a', 'lost')).rejects.toMatchObject(replaced)
  // It has read the log by now, so it knows the next number that is free.
  await expect(commit(first, 'a', 'lost')).rejects.toMatchObject(replaced)
  await commit(second, 'b', 'b1')
  await first.follow()
  await expect(commit(first, 'a', 'lost')).rejects.toMatchObject(replaced)
  expect(Object.fromEntries((await open()).manifests)).toEqual({ a: 'kept', b: 'b1' })
})

test('a process whose lease has passed to another one cannot take over', async () => {
  await openWriter(2)
  await expect(openWriter(1)).rejects.toMatchObject(replaced)
  await expect(openWriter(2)).rejects.toMatchObject(replaced)
})

test('if several writers take over at the same time, the one with the last lease stays', async () => {
  const logs = await Promise.all([1, 2, 3, 4].map(open))
  const taken = await Promise.allSettled(logs.map((log, i) => log.takeOver({ fence: i + 1 })))
  expect(taken[3]!.status).toBe('fulfilled')
  for (const [i, log] of logs.slice(0, 3).entries())
    if (taken[i]!.status === 'fulfilled') await expect(commit(log, 'a', 'lost')).rejects.toMatchObject(replaced)
  await commit(logs[3]!, 'a', 'kept')
  expect(Object.fromEntries((await open()).manifests)).toEqual({ a: 'kept' })
})

test('starts from a checkpoint, and readers that are behind continue after old commits were deleted', async () => {
  const [writer, reader] = [await openWriter(1), await open()]
  const expected: Record<string, string> = {}
  for (let i = 1; i <= 200; i++) {
    const projectId = `p${i % 7}`
    const manifest = i % 5 === 0 ? null : `m${i}`
    if (manifest === null) delete expected[projectId]
    else expected[projectId] = manifest
    await commit(writer, projectId, manifest)
    // One reader keeps up across checkpoints.
    if (i <= 140) await reader.follow()
    if (i === 140) expect(Object.fromEntries(reader.manifests)).toEqual(expected)
  }
  await writer.trim()
  const keys: string[] = []
  for await (const { key } of store.list('')) keys.push(key)
  expect(keys.length).toBe(201 - 127)
  await reader.follow()
  for (const log of [writer, reader, await open()]) expect(Object.fromEntries(log.manifests)).toEqual(expected)
})

test('a writer that slept through everything cannot use a number that was deleted', async () => {
  const first = await openWriter(1)
  const second = await openWriter(2)
  for (let i = 0; i < 140; i++) await commit(second, 'a', `m${i}`)
  await second.trim()
  expect((await store.list('').next()).value).not.toMatchObject({ key: 'segments/idx/log/0000000000000002' })
  await expect(commit(first, 'a', 'lost')).rejects.toMatchObject(replaced)
  const third = await openWriter(3)
  for (const log of [second, third, await open()]) {
    await log.follow()
    expect(Object.fromEntries(log.manifests)).toEqual({ a: 'm139' })
  }
})

test('a commit whose answer is lost counts once', async () => {
  const writer = await openWriter(1)
  let isFirst = true
  server.proxy.fault = ({ method }) => {
    const fault = method === 'PUT' && isFirst ? 'lose' : 'pass'
    isFirst &&= method !== 'PUT'
    return fault
  }
  await commit(writer, 'a', 'a1')
  expect(writer.version).toBe(2)
  expect(Object.fromEntries((await open()).manifests)).toEqual({ a: 'a1' })
})

test('the next commit reverts a commit that took effect although it failed', async () => {
  const writer = await openWriter(1)
  await commit(writer, 'a', 'a1')
  server.proxy.fault = ({ method }) => (method === 'PUT' ? 'lose' : 'refuse')
  await expect(commit(writer, 'a', 'failed')).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  server.proxy.fault = () => 'pass'
  await commit(writer, 'b', 'b1')
  expect(Object.fromEntries((await open()).manifests)).toEqual({ a: 'a1', b: 'b1' })
  expect(Object.fromEntries(writer.manifests)).toEqual({ a: 'a1', b: 'b1' })
})

test('a writer that was replaced learns which projects the later writer has changed', async () => {
  const first = await openWriter(1)
  await commit(first, 'a', 'a1')
  const second = await openWriter(2)
  await commit(second, 'a', 'a2')
  await expect(commit(first, 'b', 'lost')).rejects.toMatchObject(replaced)
  expect([...(await first.follow())]).toEqual(['a'])
  expect([...(await first.follow())]).toEqual([])
})

/** Makes a commit take effect although it fails. */
async function loseAnswer(log: CommitLog, projectId: string, manifest: string): Promise<void> {
  server.proxy.fault = ({ method }) => (method === 'PUT' ? 'lose' : 'refuse')
  await expect(commit(log, projectId, manifest)).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  server.proxy.fault = () => 'pass'
}

test('a writer that reads the commits reverts a commit that took effect although it failed', async () => {
  const writer = await openWriter(1)
  await commit(writer, 'a', 'a1')
  await loseAnswer(writer, 'a', 'failed')
  expect([...(await writer.follow())]).toEqual(['a'])
  for (const log of [writer, await open()]) expect(Object.fromEntries(log.manifests)).toEqual({ a: 'a1' })
})

test('a replaced writer that takes over again keeps its failed commit that took effect', async () => {
  const first = await openWriter(1)
  await commit(first, 'a', 'a1')
  await loseAnswer(first, 'a', 'a2')
  server.proxy.fault = ({ method }) => (method === 'PUT' ? 'fail' : 'pass')
  // It reads the failed commit, but can't revert it.
  await expect(commit(first, 'b', 'b1')).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  server.proxy.fault = () => 'pass'
  const second = await openWriter(2)
  expect(Object.fromEntries(second.manifests)).toEqual({ a: 'a2' })
  expect([...(await first.takeOver({ fence: 3 }))].sort()).toEqual(['a', 'b'])
  await commit(first, 'c', 'c1')
  expect(Object.fromEntries((await open()).manifests)).toEqual({ a: 'a2', c: 'c1' })
})

test('finds a damaged commit', async () => {
  await commit(await openWriter(1), 'a', 'a1')
  await store.put('segments/idx/log/0000000000000002', Buffer.from('{}'))
  await expect(open()).rejects.toMatchObject({ code: errorCode('index_corrupt') })
  await store.delete('segments/idx/log/0000000000000001')
  await expect(open()).rejects.toMatchObject({ code: errorCode('index_corrupt') })
})
