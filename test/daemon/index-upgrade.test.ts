import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { PARSER_VERSION } from '../../src/parse/parser.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { until } from '../support/until.ts'

const DOCUMENTS = 40

/** A data folder with documents. Every test changes a copy to one of an earlier version. */
let template: Instance
let instance: Instance

beforeAll(async () => {
  template = await newInstance()
  const running = await template.start()
  const files = Array.from({ length: DOCUMENTS }, (_, i) => ({
    name: `note-${i}.txt`,
    content: `Note ${i}. The ferry number${i} leaves the harbour at dawn, and the heron watches from the reeds.`,
  }))
  await running.upload(files.slice(0, 20), { wait: true })
  await running.upload(files.slice(20), { wait: true })
  await running.settled()
  await running.daemon.stop()
})
afterAll(() => template?.remove())
afterEach(() => instance?.remove())

function onDatabase<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(instance.dataDir, 'docsearch.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const indexes = () =>
  onDatabase((database) => database.prepare('select id, fingerprint, state from generations order by id').all()) as {
    id: string
    fingerprint: string
    state: string
  }[]

/** Copies the folder, as if a version had written it that has `earlier` instead of `present` in the fingerprint of its indexes. */
async function folderOf(present: RegExp, earlier: string): Promise<{ former: string; fingerprint: string }> {
  instance = await template.copy()
  const { id, fingerprint } = indexes()[0]!
  const changed = fingerprint.replace(present, earlier)
  expect(changed).not.toBe(fingerprint)
  onDatabase((database) => database.prepare('update generations set fingerprint = ?').run(changed))
  return { former: id, fingerprint }
}

/** Searches over and over until `isDone`. Every search has to find its document. */
async function searchUntil({ search }: Running, isDone: () => boolean, mode?: 'keyword'): Promise<Set<string>> {
  const modes = new Set<string>()
  for (let i = 0; ; i = (i + 7) % DOCUMENTS) {
    const wasDone = isDone()
    const answer = await search(`ferry number${i}`, { correct: false, ...(mode && { mode }) })
    expect(answer.results[0]?.document.name, `search ${i}`).toBe(`note-${i}.txt`)
    modes.add(answer.mode)
    if (wasDone) return modes
  }
}

const isReplaced = (former: string) => () => {
  const [only, ...others] = indexes()
  return others.length === 0 && only!.id !== former && only!.state === 'active'
}

test('an index of an earlier version answers while another one is built, also after a crash', async () => {
  const { former, fingerprint } = await folderOf(/chunks \d+/, 'chunks 1')
  for (const killAt of ['build-index', 'whole'] as const) {
    const killed = await instance.start({ killAt })
    await killed.died()
    expect(indexes().find(({ state }) => state === 'active')?.id).toBe(former)
  }
  const running = await instance.start()
  expect(await searchUntil(running, isReplaced(former))).toEqual(new Set(['hybrid']))
  expect(indexes()).toMatchObject([{ fingerprint }])
  await running.daemon.stop()
  const { search } = await instance.start()
  expect((await search('ferry number3')).results[0]?.document.name).toBe('note-3.txt')
})

test('uploads and deletions during the upgrade are in the new index', async () => {
  const { former } = await folderOf(/chunks \d+/, 'chunks 1')
  const running = await instance.start()
  const { body } = await running.upload([{ name: 'new.txt', content: 'The kingfisher dives.' }], { wait: true })
  const [gone] = (await running.search('ferry number5', { correct: false })).results
  await running.call('DELETE', `/api/v1/documents/${gone!.document.id}`)
  await until('the new index is active', async () => isReplaced(former)())
  expect((await running.search('kingfisher')).results[0]?.document.id).toBe(body.documents[0]!.id)
  const names = (await running.search('ferry number5', { correct: false })).results.map(({ document }) => document.name)
  expect(names).not.toContain('note-5.txt')
})

test('without comparable vectors, searches use keywords until the new index is there', async () => {
  const { former } = await folderOf(/builtin:\d+/, 'builtin:0')
  const running = await instance.start()
  const modes = await searchUntil(running, isReplaced(former))
  expect([...modes].every((mode) => mode === 'keyword' || mode === 'hybrid')).toBe(true)
  expect(await running.search('ferry number3')).toMatchObject({ mode: 'hybrid' })
})

test('documents that an earlier version has read are read again one by one, while the index answers', async () => {
  const { former, fingerprint } = await folderOf(/pages \d+/, 'pages 1')
  onDatabase((database) => database.exec(`update documents set parse = json_set(parse, '$.parser_version', 1)`))
  const running = await instance.start()
  const outdated = () =>
    onDatabase((database) =>
      database
        .prepare(`select count(*) as n from documents where status <> 'ready' or parse ->> 'parser_version' <> ?`)
        .get(PARSER_VERSION),
    ) as { n: number }
  await searchUntil(running, () => outdated().n === 0)
  expect(indexes()).toMatchObject([{ id: former, fingerprint }])
})

test('an index with a layout that this version cannot read is rebuilt', async () => {
  const { former, fingerprint } = await folderOf(/table \d+/, 'table 1')
  const running = await instance.start()
  await running.settled()
  expect(isReplaced(former)()).toBe(true)
  expect(indexes()).toMatchObject([{ fingerprint }])
  expect((await running.search('ferry number3')).results[0]?.document.name).toBe('note-3.txt')
})
