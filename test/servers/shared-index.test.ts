import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type Logger, silentLogger } from '../../src/core/logger.ts'
import type { PassageIndex } from '../../src/index/passage-index.ts'
import { createSharedIndexStore, type WriterLeases } from '../../src/index/shared-index-store.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { DIMENSIONS, passage } from '../conformance/passage-index.ts'
import { errorCode } from '../support/codes.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { keywordSearch } from '../support/search-index.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'
import { createWriterLeases } from '../support/writer-leases.ts'

let server: TestStore
let address: string
let objects: ObjectStore
let leases: ReturnType<typeof createWriterLeases>
/** What the database of an instance knows. */
let newest: number
beforeAll(async () => {
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  objects = await openStore(server, { retries: 1 }, address)
  leases = createWriterLeases()
  newest = 0
})
afterEach(() => {
  vi.unstubAllEnvs()
  server.proxy.fault = () => 'pass'
})

/** Opens the index as another process. Without leases, this process only reads. */
async function open(own: WriterLeases | null, catchUpMs = 60_000, log = silentLogger): Promise<PassageIndex> {
  const store = createSharedIndexStore({
    address,
    objects,
    cacheFolder: await tempFolder(),
    leases: own,
    newestVersion: async () => newest,
    onCommit: async (_, version) => void (newest = Math.max(newest, version)),
    log,
    catchUpMs,
  })
  const index = await store.open({ id: 'idx', dimensions: DIMENSIONS })
  onTestFinished(() => index.close())
  return index
}

const openWriter = () => open(leases.next())
const openReader = (catchUpMs?: number, log?: Logger) => open(null, catchUpMs, log)

function document(documentId: string, { version = 1, passages = 2 } = {}) {
  const text = (n: number) => `Text ${n} of version ${version} of ${documentId}`
  const all = Array.from({ length: passages }, (_, n) =>
    passage(documentId, n, { version, text: text(n), terms: `common v${version}` }),
  )
  return { documentId, isNew: version === 1, passages: all }
}

/** The texts that a search finds, as a process reads them. */
async function texts(index: PassageIndex): Promise<string[]> {
  const rows = (await keywordSearch(index, ['common'], {}, 1_000)).map(({ row }) => row)
  const read = await index.passages(rows)
  return rows.flatMap((row) => read.get(row)?.text ?? `row ${row} is missing`).toSorted()
}

const textsOf = (...documents: ReturnType<typeof document>[]) =>
  documents.flatMap(({ passages }) => passages.map(({ text }) => text)).toSorted()

test('a reader finds and reads every document that the writer has confirmed, and asks the store only when it is behind', async () => {
  const [writer, reader] = [await openWriter(), await openReader()]
  const all: ReturnType<typeof document>[] = []
  for (let i = 0; i < 8; i++) {
    all.push(document(`doc_${i}`))
    await writer.put([all.at(-1)!])
    expect(await reader.catchUp()).toBe(true)
    expect(await texts(reader)).toEqual(textsOf(...all))
  }
  await writer.put([document('doc_0', { version: 2, passages: 1 })])
  await writer.deleteDocuments(['doc_1'])
  await writer.optimize()
  expect(await reader.catchUp()).toBe(true)
  expect(await texts(reader)).toEqual(textsOf(document('doc_0', { version: 2, passages: 1 }), ...all.slice(2)))
  server.proxy.seen.length = 0
  for (let i = 0; i < 3; i++) {
    expect(await reader.catchUp()).toBe(true)
    expect(await texts(reader)).toHaveLength(13)
  }
  expect(server.proxy.seen).toEqual([])
})

test('a reader that started before the first document finds it, and reads parts of the table that are new', async () => {
  const reader = await openReader()
  expect(await reader.catchUp()).toBe(true)
  expect(await reader.check()).toMatchObject({ ok: true, passages: 0 })
  const writer = await openWriter()
  await writer.put([document('doc_1')])
  await reader.catchUp()
  expect(await texts(reader)).toEqual(textsOf(document('doc_1')))
  expect(
    await reader.rowsWithPhrases(
      (await keywordSearch(reader, ['common'], {}, 10)).map(({ row }) => row),
      { phrases: ['text 1'] },
    ),
  ).toHaveLength(1)
  expect((await reader.vectors('doc_1')).size).toBe(2)
})

test('a process that only reads cannot write', async () => {
  const [writer, reader] = [await openWriter(), await openReader()]
  await writer.put([document('doc_1')])
  await expect(reader.put([document('doc_2')])).rejects.toMatchObject({ code: errorCode('index_failed') })
  await reader.optimize()
  expect(await texts(await openReader())).toEqual(textsOf(document('doc_1')))
})

test.each(['fail', 'hang'] as const)(
  'while the store answers no request (%s), searches find what the process knows',
  async (fault) => {
    const logged: string[] = []
    const note = (_: object, message = '') => void logged.push(message)
    const log: Logger = { ...silentLogger, warn: note, info: note, child: () => log }
    const [writer, reader] = [await openWriter(), await openReader(500, log)]
    await writer.put([document('doc_1')])
    await until('the reader has the document', () => reader.catchUp())
    const known = await texts(reader)
    await writer.put([document('doc_2')])
    server.proxy.fault = () => fault
    // The second search hardly waits.
    logged.length = 0
    for (let i = 0; i < 2; i++) expect(await reader.catchUp()).toBe(false)
    expect(logged).toEqual(['searches continue without the newest commits to the index'])
    expect(await texts(reader)).toEqual(known)
    expect((await writer.check()).isUnavailable).toBe(true)
    server.proxy.fault = () => 'pass'
    await until('the reader is current', () => reader.catchUp())
    expect(logged.at(-1)).toBe('searches have the newest commits to the index again')
    expect(await texts(reader)).toEqual(textsOf(document('doc_1'), document('doc_2')))
  },
)

test('a commit that fails leaves no trace, and its rows are removed later', async () => {
  const writer = await openWriter()
  await writer.put([document('doc_1')])
  server.proxy.fault = ({ method, url }) => (method === 'PUT' && url.includes('/segments/') ? 'fail' : 'pass')
  await expect(writer.put([document('doc_2')])).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  server.proxy.fault = () => 'pass'
  expect(await storedTexts(writer)).toEqual(textsOf(document('doc_1')))
  await writer.put([document('doc_2'), document('doc_3')])
  const tables = await countRows()
  await writer.optimize()
  await until('the rows are removed', async () => (await countRows()) === tables - 2)
  expect(await texts(writer)).toEqual(textsOf(document('doc_1'), document('doc_2'), document('doc_3')))
  expect(await texts(await openReader())).toEqual(await texts(writer))
})

test('if a segment is lost in the store, its documents are missing from the index, so that they are indexed again', async () => {
  const writer = await openWriter()
  await writer.put([document('doc_1')])
  await writer.close()
  for await (const { key } of objects.list('segments/idx/files/')) if (key.endsWith('.seg')) await objects.delete(key)
  const next = await openWriter()
  let announced = 0
  next.onDamage(() => announced++)
  expect((await next.check()).isIncomplete).toBe(true)
  await until('the damage is announced', () => announced > 0)
  expect(await next.inventory()).toEqual(new Map())
  await next.put([document('doc_1')])
  expect(await texts(next)).toEqual(textsOf(document('doc_1')))
})

async function storedTexts(index: PassageIndex): Promise<string[]> {
  const found: string[] = []
  for await (const batch of index.stored()) found.push(...batch.map(({ text }) => text))
  return found.toSorted()
}

/** Counts all rows of the table, also those that no commit refers to. */
async function countRows(): Promise<number> {
  const { connect } = await import('@lancedb/lancedb')
  const { storageOptions } = await import('../../src/index/passages/shared-tables.ts')
  const connection = await connect(`${address}/lance`, { storageOptions: storageOptions() })
  return (await connection.openTable('passages_idx.0')).countRows()
}
