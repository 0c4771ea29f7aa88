import { noTelemetry } from '../../../src/core/telemetry.ts'
import pLimit from 'p-limit'
import { expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { IndexChanged, type OpenIndex } from '../../../src/lifecycle/lifecycle.ts'
import type { IndexedPassage } from '../../../src/core/passage.ts'
import { IndexWriter, type WriterParts } from '../../../src/ingest/writer.ts'
import type { JobRef } from '../../../src/records/queue.ts'

/**
 * A writer over an index that records its commits, and refuses a commit with the document `bad`.
 * @param inProgress The number of documents in progress, by owner. Other owners have a hundred.
 */
function newWriter(inProgress: Record<string, number> = {}) {
  const commits: string[][] = []
  const finished: string[] = []
  const active = {
    embedder: { name: 'builtin' },
    index: {
      async put(documents: { documentId: string }[]) {
        if (documents.some(({ documentId }) => documentId === 'bad')) throw new Error('not this one')
        commits.push(documents.map(({ documentId }) => documentId))
      },
    },
  } as unknown as OpenIndex
  const queue = {
    beginIndexing: async (jobs: JobRef[]) => ({ wanted: jobs, refused: [] }),
    finish: async (rows: { job: JobRef }[]) => {
      finished.push(...rows.map(({ job }) => job.documentId))
      return []
    },
  }
  const writer = new IndexWriter({
    records: { queue },
    lifecycle: { active: () => active },
    log: silentLogger,
    telemetry: noTelemetry,
    retries: { run: (work: () => Promise<unknown>) => work(), reason: () => null },
    load: { inProgressOf: (ownerId: string) => inProgress[ownerId] ?? 100 },
    exclusive: pLimit(1),
    onCommit: () => {},
  } as unknown as WriterParts)
  const write = (documentId: string, passages = 1, target = active, ownerId = 'usr_1') =>
    writer.write({
      ownerId,
      mediaType: 'text/plain',
      job: { documentId, version: 1 },
      target,
      isNew: true,
      passages: Array.from({ length: passages }, () => ({}) as IndexedPassage),
      words: '[]',
      warnings: [],
      chunksSkipped: 0,
    })
  const writeFor = (ownerId: string, documentId: string, passages: number) => write(documentId, passages, active, ownerId)
  return { write, writeFor, commits, finished }
}

test('documents that end together share one commit', async () => {
  const { write, commits, finished } = newWriter()
  const ids = Array.from({ length: 40 }, (_, i) => `doc_${i}`)
  await Promise.all(ids.map((id) => write(id)))
  expect([commits, finished]).toEqual([[ids], ids])
})

test.each([
  ['documents', 16, 1],
  ['passages', 2, 250],
])('does not wait for more once there are enough %s', async (_, documents, passages) => {
  vi.useFakeTimers()
  try {
    const { write, commits } = newWriter()
    await Promise.all(Array.from({ length: documents }, (_, i) => write(`doc_${i}`, passages)))
    expect(commits).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('the only document in progress is committed at once', async () => {
  vi.useFakeTimers()
  try {
    const { write, commits } = newWriter({ usr_1: 1 })
    await write('a')
    expect(commits).toEqual([['a']])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test("an owner's only document does not wait for more documents of another owner", async () => {
  vi.useFakeTimers()
  try {
    const { writeFor, commits } = newWriter({ b: 1 })
    await Promise.all([writeFor('a', 'a1', 1), writeFor('b', 'b1', 1)])
    expect(commits).toEqual([['a1', 'b1']])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('bounds the passages of a commit, unless one document has more', async () => {
  const { write, commits } = newWriter()
  await Promise.all([write('a', 1_500), write('b', 500), write('c', 1), write('large', 9_000), write('d', 1)])
  expect(commits).toEqual([['a', 'b'], ['c'], ['large'], ['d']])
})

test('a document that the index refuses fails alone', async () => {
  const { write, commits, finished } = newWriter()
  const outcomes = await Promise.allSettled([write('a'), write('bad'), write('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect([commits, finished]).toEqual([
    [['a'], ['b']],
    ['a', 'b'],
  ])
})

test('rejects passages that were made for an index that is no longer active', async () => {
  const { write, commits } = newWriter()
  const other = {} as OpenIndex
  const outcomes = await Promise.allSettled([write('late', 1, other), write('a')])
  expect(outcomes).toMatchObject([{ reason: expect.any(IndexChanged) }, { status: 'fulfilled' }])
  expect(commits).toEqual([['a']])
})

test("another owner's document does not wait until all documents of one owner are committed", async () => {
  const { writeFor, commits } = newWriter()
  await Promise.all([...['a1', 'a2', 'a3'].map((id) => writeFor('a', id, 1_900)), writeFor('b', 'b1', 10)])
  expect(commits).toEqual([['a1', 'b1'], ['a2'], ['a3']])
})
