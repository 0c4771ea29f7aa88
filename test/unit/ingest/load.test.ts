import { expect, test } from 'vitest'
import { Load } from '../../../src/ingest/load.ts'

/** Work that goes on until it is ended. */
function openEnded() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('has room for one document more than can be parsed', async () => {
  const load = new Load(2)
  const { work, end } = openEnded()
  expect(load.room).toBe(3)
  const reads = [load.reading(work), load.reading(work), load.reading(work)]
  expect(load.room).toBe(0)
  end()
  await Promise.all(reads)
  expect(load.room).toBe(3)
})

test('a document that waits for another program leaves its place', async () => {
  const load = new Load(1)
  const { work, end } = openEnded()
  const read = load.reading(() => load.aside(work))
  expect(load.room).toBe(2)
  end()
  await read
  expect(load.room).toBe(2)
})

test('has no room while too much text waits for the index', async () => {
  const load = new Load(2)
  const { work, end } = openEnded()
  const indexed = load.indexing(24_000_000, work)
  expect(load.room).toBe(0)
  end()
  await indexed
  expect(load.room).toBe(3)
})

test('work that fails gives its place back', async () => {
  const load = new Load(1)
  const fail = async () => {
    throw new Error('x')
  }
  await expect(load.working('usr_1', () => load.reading(() => load.aside(fail)))).rejects.toThrow('x')
  await expect(load.indexing(24_000_000, fail)).rejects.toThrow('x')
  expect([load.room, load.inProgress]).toEqual([2, 0])
})

test('keeps places for owners without a document in progress', async () => {
  const load = new Load(1)
  const { work, end } = openEnded()
  const reads = Array.from({ length: 2 }, () => load.working('usr_1', () => load.reading(work)))
  expect([load.room, load.roomForNewcomers, load.owners]).toEqual([0, 8, ['usr_1']])
  const large = load.working('usr_2', () => load.indexing(24_000_000, work))
  expect([load.room, load.roomForNewcomers, load.owners]).toEqual([0, 8, ['usr_1', 'usr_2']])
  const larger = load.working('usr_3', () => load.indexing(24_000_000, work))
  expect(load.roomForNewcomers).toBe(0)
  end()
  await Promise.all([...reads, large, larger])
  expect(load.owners).toEqual([])
})
