import { test } from 'vitest'
import type { NewDocument } from '../../../src/records/documents.ts'
import type { Records } from '../../../src/records/records.ts'
import { warningCode } from '../../support/codes.ts'
import { testClock, type TestClock } from '../../support/test-clock.ts'

/** Opens empty records. The caller closes them. */
export type OpenRecords = (clock: TestClock) => Records | Promise<Records>

export const HEALTH = { pages: 1, pagesWithText: 1, pagesWithoutText: 0, chunksSkipped: 0 }
export const PARSED = {
  pages: [
    { number: 1, text: 'First page', blocks: [{ kind: 'paragraph' as const, start: 0, end: 10 }] },
    { number: 2, text: 'Ünïcode 🙂\u0000', blocks: [] },
  ],
  title: 'A title',
  pageCount: 2,
  warnings: [{ code: warningCode('no_text'), message: 'warned' }],
  health: HEALTH,
  facts: { engine: 'x' },
}

/** Tests get records with nothing in them. */
export function emptyRecordsTest(open: OpenRecords) {
  return test
    .extend('clock', () => testClock())
    .extend('records', async ({ clock }, { onCleanup }) => {
      const records = await open(clock)
      onCleanup(() => records.close())
      return records
    })
    .extend(
      'inFuture',
      ({ clock }) =>
        (ms: number) =>
          new Date(clock.now().getTime() + ms),
    )
}

export type EmptyRecordsTest = ReturnType<typeof emptyRecordsTest>

/**
 * Tests get two users, a project of Alice's (also a test that doesn't name it), and functions that take a document through the
 * queue.
 */
export function documentsTest(base: EmptyRecordsTest) {
  return base
    .extend('alice', async ({ records }) => {
      return (await records.users.create({ name: 'Alice', email: 'alice@example.com', role: 'owner' })).id
    })
    .extend('bob', async ({ records }) => (await records.users.create({ name: 'Bob', email: null, role: 'member' })).id)
    .extend('project', { auto: true }, async ({ records, alice }) => {
      return (await records.projects.create({ ownerId: alice, name: 'default', description: '' })).id
    })
    .extend('upload', ({ alice, project }) => (change: Partial<NewDocument> = {}): NewDocument => ({
      uploaderId: alice,
      projectId: project,
      name: 'a.txt',
      path: 'a.txt',
      mediaType: 'text/plain',
      sizeBytes: 10,
      sha256: 'a'.repeat(64),
      tags: ['x', 'y'],
      ...change,
    }))
    .extend('add', ({ records, upload }) => async (change: Partial<NewDocument> = {}) => {
      return (await records.documents.register(upload(change), 'replace')).document
    })
    .extend(
      'claimOne',
      ({ records }) =>
        async () =>
          (await records.queue.claim(1))[0]!,
    )
    .extend('makeReady', ({ records, claimOne }) => async (chunks = 3) => {
      const job = await claimOne()
      await records.queue.savePages(job, PARSED)
      await records.queue.beginIndexing([{ ...job, passages: 3 }])
      await records.queue.finish([{ job, chunkCount: chunks, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }])
      return job
    })
    .extend('eventTypes', ({ records, alice }) => async (owner = alice) => {
      const { projects, deletedIds } = await records.members.visibleTo(owner)
      const heard = new Set([...projects.map(({ id }) => id), ...deletedIds])
      return (await records.events.since(heard, 0, 1000)).map((event) => event.type)
    })
}

export type DocumentsTest = ReturnType<typeof documentsTest>
