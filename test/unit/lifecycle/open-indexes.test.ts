import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DocsearchError } from '../../../src/core/errors.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import type { PassageIndex } from '../../../src/index/passage-index.ts'
import { OpenIndexes } from '../../../src/lifecycle/open-indexes.ts'
import type { Indexes } from '../../../src/records/indexes.ts'
import type { IndexRecord } from '../../../src/records/records.ts'
import { errorCode } from '../../support/codes.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const record = (id: string, embeddingModel = id): IndexRecord => ({
  id,
  embeddingModel,
  fingerprint: '',
  dimensions: 4,
  state: 'active',
  createdAt: new Date(0),
})

/** Indexes that only note what is closed and dropped. Opening the index `damaged` fails. */
function newOpenIndexes() {
  const events: string[] = []
  const close = (what: string) => ({ close: async () => void events.push(`close ${what}`) })
  const indexStore = {
    open: async ({ id }: { id: string }) => {
      if (id === 'damaged') throw new DocsearchError('index_corrupt', 'damaged')
      return close(`index ${id}`) as unknown as PassageIndex
    },
    list: async () => [],
    size: async () => 0,
    drop: async (id: string) => void events.push(`drop ${id}`),
  }
  const records = {
    indexes: { measurements: async () => null, progress: async () => ({ passagesDone: 0 }) } as unknown as Indexes,
  }
  const embedder = (name: string, canEmbed = true) =>
    ({ name, canEmbed, work: { passages: 0 }, ...close(`embedder ${name}`) }) as unknown as Embedder
  const openIndexes = new OpenIndexes({ records, indexStore, log: silentLogger })
  async function startBuilding(of: IndexRecord) {
    const own = embedder(of.embeddingModel)
    await openIndexes.startBuilding({ record: of, embedder: own, ownEmbedder: own, index: (await openIndexes.open(of))! })
  }
  return { openIndexes, events, embedder, startBuilding }
}

test('a placeholder is replaced by the embedder, and the index stays open', async () => {
  const { openIndexes, events, embedder } = newOpenIndexes()
  await openIndexes.activate(record('a'), embedder('placeholder', false))
  expect(openIndexes.active?.ownEmbedder).toBeNull()
  const { index } = openIndexes.active!
  await openIndexes.activate(record('a'), embedder('a'))
  expect(openIndexes.active).toMatchObject({ ownEmbedder: { name: 'a' } })
  expect(openIndexes.active!.index).toBe(index)
  expect(events).toEqual(['close embedder placeholder'])
})

test('a rebuilt index keeps its embedder, and the former index is closed', async () => {
  const { openIndexes, events, embedder } = newOpenIndexes()
  const own = embedder('a')
  await openIndexes.activate(record('a'), own)
  await openIndexes.activate(record('b', 'a'), own)
  expect([openIndexes.active!.record.id, events]).toEqual(['b', ['close index a']])
})

test('a switch retires the index of another model, and nothing of it is closed', async () => {
  const { openIndexes, events, embedder, startBuilding } = newOpenIndexes()
  await openIndexes.activate(record('a'), embedder('a'))
  await startBuilding({ ...record('b'), state: 'building' })
  openIndexes.switchOver()
  expect(openIndexes.active!.record).toMatchObject({ id: 'b', state: 'active' })
  expect(openIndexes.building).toBeNull()
  expect(openIndexes.inactive().map((open) => open.record)).toMatchObject([{ id: 'a', state: 'retired' }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events).toEqual([])
  expect(openIndexes.takeRetired('a')?.record.id).toBe('a')
  expect(openIndexes.takeRetired('a')).toBeNull()
})

test('a switch drops the index of the same model once no search can read it', async () => {
  const { openIndexes, events, embedder, startBuilding } = newOpenIndexes()
  await openIndexes.activate(record('a', 'm'), embedder('m'))
  await startBuilding({ ...record('b', 'm'), state: 'building' })
  openIndexes.switchOver()
  expect([openIndexes.inactive(), events]).toEqual([[], []])
  await vi.advanceTimersByTimeAsync(30_000)
  expect(events).toEqual(['close embedder m', 'close index a', 'drop a'])
})

test('closing drops what is pending and closes every open index', async () => {
  const { openIndexes, events, embedder, startBuilding } = newOpenIndexes()
  await openIndexes.activate(record('a'), embedder('a'))
  await startBuilding(record('b'))
  openIndexes.dropLater('gone', null)
  await openIndexes.close()
  expect(events).toEqual(['drop gone', 'close embedder a', 'close index a', 'close embedder b', 'close index b'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a damaged index that is not active cannot be opened, and an active one throws', async () => {
  const { openIndexes, embedder } = newOpenIndexes()
  expect(await openIndexes.open(record('damaged'))).toBeNull()
  await expect(openIndexes.activate(record('damaged'), embedder('a'))).rejects.toMatchObject({ code: errorCode('index_corrupt') })
})

test('an index that another process makes while files are compared with rows keeps its files', async () => {
  const [rows, files, dropped] = [['a'], ['a', 'left'], [] as string[]]
  /** Returns what is there now. Then the other process makes its index: first the row. */
  const read = (ids: string[]) => {
    const now = [...ids]
    for (const all of [rows, files]) if (!all.includes('new')) all.push('new')
    return now
  }
  const indexes = { all: async () => read(rows).map((id) => record(id)) } as unknown as Indexes
  const indexStore = {
    open: () => expect.unreachable(),
    list: async () => read(files),
    size: async () => 0,
    drop: async (id: string) => void dropped.push(id),
  }
  await new OpenIndexes({ records: { indexes }, indexStore, log: silentLogger }).dropFilesWithoutRow()
  expect(dropped).toEqual(['left'])
})
