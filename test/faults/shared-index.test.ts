import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import type { PassageIndex } from '../../src/index/passage-index.ts'
import { createSharedIndexStore, type WriterLeases } from '../../src/index/shared-index-store.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { errorCode } from '../support/codes.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { keywordSearch } from '../support/search-index.ts'
import { SHARED_DIMENSIONS, sharedDocument } from '../support/shared-documents.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

const PROGRAM = fileURLToPath(new URL('../support/index-process.ts', import.meta.url))

let server: TestStore
let address: string
let objects: ObjectStore
beforeAll(async () => {
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  objects = await openStore(server, {}, address)
})
afterEach(() => {
  vi.unstubAllEnvs()
  server.proxy.fault = () => 'pass'
})

/** The confirmed version of each document. 0 for a deleted document. */
type Ledger = Map<string, number>

/** Starts a writer. `next` waits for a number of confirmed changes, which go into the ledger. `end` waits for the code with which the writer stops. */
async function startWriter(
  fence: number,
  ledger: Ledger,
): Promise<{ process: ChildProcess; next: (changes: number) => Promise<void>; end: () => Promise<string> }> {
  const child = spawn(process.execPath, [PROGRAM, address, await tempFolder(), String(fence)], {
    env: { ...process.env, ...server.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** Returns the next line that is not a change. */
  const read = async (): Promise<string | null> => {
    const { value = '' } = (await lines.next()) as { value?: string }
    const [, id, version] = /^(doc_\S+) (\d)$/.exec(value) ?? []
    if (id === undefined) return value
    ledger.set(id, Number(version))
    return null
  }
  return {
    process: child,
    async next(changes) {
      for (let i = 0; i < changes; i++) expect(await read()).toBeNull()
    },
    async end() {
      for (;;) {
        const line = await read()
        if (line !== null) return line
      }
    },
  }
}

async function open(fence: number | null): Promise<PassageIndex> {
  const leases: WriterLeases | null = fence === null ? null : { current: async () => ({ fence }), drop() {} }
  const store = createSharedIndexStore({
    address,
    objects,
    cacheFolder: await tempFolder(),
    leases,
    newestVersion: null,
    onCommit: async () => {},
    log: silentLogger,
  })
  const index = await store.open({ id: 'idx', dimensions: SHARED_DIMENSIONS })
  onTestFinished(() => index.close())
  return index
}

/** Returns the texts that searches find. */
async function texts(index: PassageIndex): Promise<string[]> {
  expect(await index.catchUp()).toBe(true)
  const rows = (await keywordSearch(index, ['common'], {}, 10_000)).map(({ row }) => row)
  const read = await index.passages(rows)
  return rows.map((row) => read.get(row)?.text ?? `row ${row} is missing`).toSorted()
}

/**
 * Checks that the index has each document of the ledger, in the confirmed version or in the next one, which the writer was about to confirm. It may have one
 * more document.
 */
async function compare(index: PassageIndex, ledger: Ledger): Promise<void> {
  const found = await texts(index)
  const versions = new Map(found.map((text) => [/of (\S+)$/.exec(text)![1]!, Number(/version (\d)/.exec(text)?.[1])]))
  // Each document is there completely, once, and in one version.
  expect(found).toEqual(
    [...versions].flatMap(([id, version]) => sharedDocument(id, version).passages.map(({ text }) => text)).toSorted(),
  )
  const last = [...ledger.keys()].at(-1)
  const differing = [...ledger].filter(([id, version]) => (versions.get(id) ?? 0) !== version)
  expect(differing.filter(([id]) => id !== last)).toEqual([])
  const unconfirmed = [...versions.keys()].filter((id) => !ledger.has(id))
  expect(unconfirmed.length).toBeLessThanOrEqual(1)
}

async function countRows(): Promise<number> {
  const { connect } = await import('@lancedb/lancedb')
  const { storageOptions } = await import('../../src/index/passages/shared-tables.ts')
  const connection = await connect(`${address}/lance`, { storageOptions: storageOptions() })
  return (await connection.openTable('passages_idx.0')).countRows()
}

/** Expects that the writer removes all rows that no commit refers to. */
async function expectNoUnusedRows(writer: PassageIndex): Promise<void> {
  await writer.optimize()
  const expected = await writer.countPassages()
  await until('unused rows are removed', async () => (await countRows()) === expected)
}

test('after a writer was killed, the next writer has everything that it confirmed, and removes the rest', async () => {
  for (let round = 1; round <= 3; round++) {
    address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
    objects = await openStore(server, {}, address)
    const ledger: Ledger = new Map()
    const writer = await startWriter(1, ledger)
    await writer.next(3 + 4 * round)
    writer.process.kill('SIGKILL')
    await writer.end()
    const [next, reader] = [await open(2), await open(null)]
    await next.put([sharedDocument('doc_next')])
    ledger.set('doc_next', 1)
    await expectNoUnusedRows(next)
    for (const index of [next, reader]) await compare(index, ledger)
    expect(await texts(reader)).toEqual(await texts(next))
  }
})

test('a writer that was frozen and wakes up after a takeover changes nothing', async () => {
  const ledger: Ledger = new Map()
  const frozen = await startWriter(1, ledger)
  await frozen.next(10)
  frozen.process.kill('SIGSTOP')
  const [next, reader] = [await open(2), await open(null)]
  await next.put([sharedDocument('doc_a'), sharedDocument('doc_b')])
  // This writer changes some of the documents that the frozen writer added.
  await next.put([sharedDocument('doc_1_1', 2)])
  await next.deleteDocuments(['doc_1_2', 'doc_b'])
  await next.optimize()
  const before = await texts(next)
  frozen.process.kill('SIGCONT')
  expect(await frozen.end()).toBe(errorCode('writer_replaced'))
  for (const index of [next, reader, await open(null)]) expect(await texts(index)).toEqual(before)
  for (const [id, version] of [
    ['doc_a', 1],
    ['doc_b', 0],
    ['doc_1_1', 2],
    ['doc_1_2', 0],
  ] as const)
    ledger.set(id, version)
  await compare(next, ledger)
})

test('rows that a frozen writer adds after a takeover do no harm', async () => {
  const ledger: Ledger = new Map()
  const frozen = await startWriter(1, ledger)
  await frozen.next(4)
  const held = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  server.proxy.fault = ({ method, url }) => {
    if (method !== 'PUT' || !url.includes('/_versions/')) return 'pass'
    isHeld.resolve()
    return held.promise
  }
  await isHeld.promise
  frozen.process.kill('SIGSTOP')
  server.proxy.fault = () => 'pass'
  const [next, reader] = [await open(2), await open(null)]
  await next.put([sharedDocument('doc_a')])
  await expectNoUnusedRows(next)
  const before = await texts(next)
  // The store now gets the commit to the table, and the writer wakes up.
  held.resolve()
  frozen.process.kill('SIGCONT')
  expect(await frozen.end()).toBe(errorCode('writer_replaced'))
  for (const index of [next, reader]) expect(await texts(index)).toEqual(before)
  await next.put([sharedDocument('doc_b')])
  expect(await texts(reader)).toEqual([...before, ...sharedDocument('doc_b').passages.map(({ text }) => text)].toSorted())
  // The next writer removes them.
  await expectNoUnusedRows(await taken(3))
})

/** Opens the index as its next writer. */
async function taken(fence: number): Promise<PassageIndex> {
  const index = await open(fence)
  await index.put([])
  return index
}

test('while the store fails again and again, nothing that was confirmed is lost, and readers follow afterwards', async () => {
  const ledger: Ledger = new Map()
  const [writer, reader] = [await open(1), await open(null)]
  let requests = 0
  server.proxy.fault = () => (['pass', 'pass', 'fail', 'pass', 'refuse', 'pass', 'lose'] as const)[requests++ % 7]!
  for (let i = 0; i < 15; i++) {
    const id = `doc_${i}`
    try {
      await writer.put([sharedDocument(id)])
      ledger.set(id, 1)
    } catch (error) {
      expect(error).toMatchObject({ code: errorCode('store_unavailable') })
      // As ingest does it: the passages may be there already.
      await until('the store takes the document', () =>
        writer.put([{ ...sharedDocument(id), isNew: false }]).then(
          () => true,
          () => false,
        ),
      )
      ledger.set(id, 1)
    }
  }
  server.proxy.fault = () => 'pass'
  for (const index of [writer, reader, await open(null)]) await compare(index, ledger)
})
