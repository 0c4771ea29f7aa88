import { beforeEach, describe, expect, test } from 'vitest'
import type { Page } from '../../src/core/parsed.ts'
import type { NewDocument, OnConflict, Records } from '../../src/records/records.ts'
import { testClock, type TestClock } from '../support/test-clock.ts'
import { errorCode, warningCode } from '../support/codes.ts'

export interface RecordsUnderTest {
  /** Empty records, closed when the test ends. */
  open(clock: TestClock): Promise<Records>
}

const HEALTH = { pages: 1, pagesWithText: 1, pagesWithoutText: 0, chunksSkipped: 0 }
const PAGES: Page[] = [
  { number: 1, text: 'First page', blocks: [{ kind: 'paragraph', start: 0, end: 10 }] },
  { number: 2, text: 'Ünïcode 🙂\u0000', blocks: [] },
]
const PARSED = {
  pages: PAGES,
  title: 'A title',
  pageCount: 2,
  warnings: [{ code: warningCode('no_text'), message: 'warned' }],
  health: HEALTH,
  facts: { engine: 'x' },
}

/** What every implementation of Records has to do. */
export function recordsConformance({ open }: RecordsUnderTest): void {
  let clock: TestClock
  let records: Records
  let alice: string
  let bob: string
  let project: string

  beforeEach(async () => {
    clock = testClock()
    records = await open(clock)
    alice = (await records.users.create({ name: 'Alice', email: 'alice@example.com', role: 'owner' })).id
    bob = (await records.users.create({ name: 'Bob', email: null, role: 'member' })).id
    project = (await records.projects.create({ ownerId: alice, name: 'default', description: '' })).id
  })

  const upload = (change: Partial<NewDocument> = {}): NewDocument => ({
    ownerId: alice,
    projectId: project,
    name: 'a.txt',
    path: 'a.txt',
    mediaType: 'text/plain',
    sizeBytes: 10,
    sha256: 'a'.repeat(64),
    tags: ['x', 'y'],
    ...change,
  })
  const add = async (change: Partial<NewDocument> = {}) => (await records.documents.register(upload(change), 'replace')).document
  const claimOne = async () => (await records.queue.claim(1))[0]!
  /** Through the whole queue, until it is ready. */
  const makeReady = async (chunks = 3) => {
    const job = await claimOne()
    await records.queue.savePages(job, PARSED)
    await records.queue.beginIndexing([job])
    await records.queue.finish([{ job, chunkCount: chunks, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }])
    return job
  }
  const types = async (owner = alice) => (await records.events.since(owner, 0, 1000)).map((event) => event.type)

  describe('keys', () => {
    const key = (sha256: string, expiresAt: Date | null = null) =>
      records.keys.create({ ownerId: alice, name: 'k', sha256, lastFour: 'abcd', scopes: ['read:documents'], expiresAt })

    test('found by its hash until it expires or is deleted', async () => {
      const made = await key('h1', new Date(clock.now().getTime() + 1000))
      expect(await records.keys.findByHash('h1')).toEqual(made)
      expect(await records.keys.findByHash('h2')).toBeNull()
      clock.advance(1000)
      expect(await records.keys.findByHash('h1')).toBeNull()
      const other = await key('h2')
      expect(await records.keys.delete(bob, other.id)).toBe(false)
      expect(await records.keys.delete(alice, other.id)).toBe(true)
      expect(await records.keys.findByHash('h2')).toBeNull()
    })

    test('last use is written at most once a minute', async () => {
      const { id } = await key('h1')
      await records.keys.touch(id)
      const first = clock.now()
      clock.advance(59_000)
      await records.keys.touch(id)
      expect((await records.keys.findByHash('h1'))?.lastUsedAt).toEqual(first)
      clock.advance(1_000)
      await records.keys.touch(id)
      expect((await records.keys.findByHash('h1'))?.lastUsedAt).toEqual(clock.now())
    })

    test('a list goes page by page, and only over the owner’s', async () => {
      for (let i = 0; i < 5; i++) await key(`h${i}`)
      const first = await records.keys.list(alice, { limit: 3 })
      const second = await records.keys.list(alice, { limit: 3, cursor: first.nextCursor! })
      expect([first.items.length, second.items.length, second.nextCursor]).toEqual([3, 2, null])
      expect(new Set([...first.items, ...second.items].map((item) => item.id)).size).toBe(5)
      expect((await records.keys.list(bob, { limit: 3 })).items).toEqual([])
    })
  })

  describe('projects', () => {
    test('a name is taken once for each owner', async () => {
      await expect(records.projects.create({ ownerId: alice, name: 'default', description: '' })).rejects.toMatchObject({
        code: errorCode('project_exists'),
      })
      await expect(records.projects.create({ ownerId: bob, name: 'default', description: '' })).resolves.toMatchObject({
        name: 'default',
      })
      const second = await records.projects.create({ ownerId: alice, name: 'second', description: 'd' })
      await expect(records.projects.update(alice, second.id, { name: 'default' })).rejects.toMatchObject({
        code: errorCode('project_exists'),
      })
      expect(await records.projects.update(alice, second.id, { description: 'new' })).toMatchObject({
        name: 'second',
        description: 'new',
      })
    })

    test('found by id or name, an id first', async () => {
      const named = await records.projects.create({ ownerId: alice, name: project, description: '' })
      expect((await records.projects.find(alice, project))?.id).toBe(project)
      expect((await records.projects.find(alice, named.id))?.id).toBe(named.id)
      expect((await records.projects.find(alice, 'default'))?.id).toBe(project)
      expect(await records.projects.findId(alice, project)).toBe(project)
      expect(await records.projects.findId(alice, 'default')).toBe(project)
    })

    test('another owner neither sees, changes nor deletes it', async () => {
      expect(await records.projects.find(bob, project)).toBeNull()
      expect(await records.projects.find(bob, 'default')).toBeNull()
      expect(await records.projects.findId(bob, project)).toBeNull()
      expect(await records.projects.update(bob, project, { name: 'mine' })).toBeNull()
      expect(await records.projects.delete(bob, project)).toBeNull()
      expect((await records.projects.list(bob, { limit: 10 })).items).toEqual([])
      expect(await records.projects.find(alice, project)).not.toBeNull()
    })

    test('counts are those of its documents', async () => {
      await add()
      await add({ path: 'b.txt', sizeBytes: 5 })
      await makeReady(7)
      const { counts } = (await records.projects.find(alice, project))!
      expect(counts).toEqual({ documents: 2, chunks: 7, bytes: 15, statuses: { queued: 1, processing: 0, ready: 1, failed: 0 } })
      expect((await records.projects.list(alice, { limit: 10 })).items[0]?.counts).toEqual(counts)
    })

    test('a list goes by name, page by page', async () => {
      for (const name of ['c', 'a', 'b']) await records.projects.create({ ownerId: alice, name, description: '' })
      const first = await records.projects.list(alice, { limit: 2 })
      const second = await records.projects.list(alice, { limit: 2, cursor: first.nextCursor! })
      expect([...first.items, ...second.items].map((item) => item.name)).toEqual(['a', 'b', 'c', 'default'])
      expect(second.nextCursor).toBeNull()
    })

    test('goes with its documents: each leaves a tombstone and an event', async () => {
      const one = await add()
      const two = await add({ path: 'b.txt' })
      const gone = await records.projects.delete(alice, project)
      expect(gone?.documentIds.toSorted()).toEqual([one.id, two.id].toSorted())
      expect((await records.queue.tombstones()).toSorted()).toEqual([one.id, two.id].toSorted())
      expect(await types()).toEqual(['document.queued', 'document.queued', 'document.deleted', 'document.deleted'])
      expect(await records.documents.get(alice, one.id)).toBeNull()
      expect(await records.queue.claim(10)).toEqual([])
    })
  })

  describe('uploads', () => {
    test('a new one is queued, with everything that was said about it', async () => {
      const { document, outcome } = await records.documents.register(upload(), 'replace')
      expect(outcome).toBe('created')
      expect(document).toMatchObject({
        ...upload(),
        projectName: 'default',
        status: 'queued',
        version: 1,
        error: null,
        warnings: [],
        parse: {},
      })
      expect(await records.documents.get(alice, document.id)).toEqual(document)
      expect(await types()).toEqual(['document.queued'])
    })

    test('the same bytes at the same path are unchanged, also when they come at once', async () => {
      const results = await Promise.all([1, 2, 3].map(() => records.documents.register(upload(), 'replace')))
      expect(results.map((result) => result.outcome).toSorted()).toEqual(['created', 'unchanged', 'unchanged'])
      expect(new Set(results.map((result) => result.document.id)).size).toBe(1)
      expect(await types()).toEqual(['document.queued'])
    })

    test('a failed document is queued anew by the same bytes', async () => {
      const { id } = await add()
      await records.queue.fail(await claimOne(), { code: errorCode('corrupt'), message: 'It is broken.' })
      expect(await records.documents.get(alice, id)).toMatchObject({
        status: 'failed',
        error: { code: errorCode('corrupt'), message: 'It is broken.' },
      })
      const again = await records.documents.register(upload(), 'replace')
      expect(again).toMatchObject({ outcome: 'unchanged', document: { id, status: 'queued', version: 2, error: null } })
    })

    test('other bytes replace, are kept beside, or are refused, as asked for', async () => {
      const { id, createdAt } = await add({ path: 'f/a.txt' })
      const other = upload({ path: 'f/a.txt', sha256: 'b'.repeat(64), sizeBytes: 99, tags: [] })
      await expect(records.documents.register(other, 'error')).rejects.toMatchObject({ code: errorCode('document_exists') })
      const kept = await records.documents.register(other, 'keep')
      expect(kept).toMatchObject({ outcome: 'created', document: { path: 'f/a (2).txt', name: 'a.txt' } })
      expect(await records.documents.register(other, 'keep')).toMatchObject({
        outcome: 'unchanged',
        document: { id: kept.document.id },
      })
      clock.advance(1000)
      const replaced = await records.documents.register(other, 'replace')
      expect(replaced).toMatchObject({ outcome: 'replaced', document: { id, version: 2, sizeBytes: 99, tags: [], createdAt } })
    })

    test('tags that are given are set, also on the same bytes; tags that are not are left as they were', async () => {
      const { id } = await add({ tags: ['old'] })
      const again = (tags: string[] | null, onConflict: OnConflict = 'replace') =>
        records.documents.register(upload({ tags }), onConflict)
      expect(await again(null)).toMatchObject({ outcome: 'unchanged', document: { id, version: 1, tags: ['old'] } })
      expect(await again(['new'], 'keep')).toMatchObject({ outcome: 'unchanged', document: { id, version: 1, tags: ['old'] } })
      expect(await again(['new'])).toMatchObject({
        outcome: 'unchanged',
        document: { id, version: 2, tags: ['new'], status: 'queued' },
      })
      const replaced = await records.documents.register(upload({ sha256: 'b'.repeat(64), tags: null }), 'replace')
      expect(replaced).toMatchObject({ outcome: 'replaced', document: { id, tags: ['new'] } })
      expect((await add({ path: 'b.txt', tags: null })).tags).toEqual([])
    })

    test('into a project that is gone or another’s: refused, nothing is left', async () => {
      const theirs = await records.projects.create({ ownerId: bob, name: 'b', description: '' })
      await expect(add({ projectId: theirs.id })).rejects.toMatchObject({ code: errorCode('project_not_found') })
      await expect(add({ projectId: 'prj_none' })).rejects.toMatchObject({ code: errorCode('project_not_found') })
      expect(await types()).toEqual([])
    })
  })

  describe('documents', () => {
    test('another owner neither sees, requeues nor deletes one', async () => {
      const { id } = await add()
      expect(await records.documents.get(bob, id)).toBeNull()
      expect(await records.documents.getMany(bob, [id])).toEqual(new Map())
      expect((await records.documents.list(bob, { limit: 10 })).items).toEqual([])
      expect((await records.documents.list(bob, { limit: 10, projectId: project })).items).toEqual([])
      expect(await records.documents.countPending(bob)).toBe(0)
      expect(await records.documents.requeue(bob, id)).toBeNull()
      expect(await records.documents.delete(bob, id)).toBe(false)
      await makeReady()
      expect(await records.documents.pages(bob, id)).toBeNull()
      expect(await types(bob)).toEqual([])
      expect(await records.documents.get(alice, id)).toMatchObject({ status: 'ready' })
    })

    test('the list is newest first, page by page, each once, in the same millisecond too', async () => {
      for (let i = 0; i < 7; i++) {
        await add({ path: `${i}` })
        if (i % 3 === 0) clock.advance(1)
      }
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await records.documents.list(alice, { limit: 2, ...(cursor && { cursor }) })
        seen.push(...page.items.map((item) => item.path))
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      expect(seen.toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6'])
      expect([seen.slice(0, 3).toSorted(), seen.slice(3, 6).toSorted(), seen[6]]).toEqual([['4', '5', '6'], ['1', '2', '3'], '0'])
    })

    test('filters: project, status, part of the name without regard to case and with its wildcards, hash', async () => {
      const other = await records.projects.create({ ownerId: alice, name: 'other', description: '' })
      await add({ path: '1', name: '100%_Ärger.txt' })
      clock.advance(1)
      await add({ path: '2', name: '1000 other.txt', sha256: 'b'.repeat(64) })
      await add({ path: '3', name: 'c.txt', projectId: other.id })
      const paths = async (filter: object) =>
        (await records.documents.list(alice, { limit: 10, ...filter })).items.map((item) => item.path)
      expect(await paths({ name: '0%' })).toEqual(['1'])
      expect(await paths({ name: '%_ä' })).toEqual(['1'])
      expect(await paths({ name: '_other' })).toEqual([])
      expect(await paths({ name: 'OTHER' })).toEqual(['2'])
      expect(await paths({ sha256: 'b'.repeat(64) })).toEqual(['2'])
      expect(await paths({ projectId: other.id })).toEqual(['3'])
      await records.queue.claim(1)
      expect(await paths({ status: 'processing' })).toEqual(['1'])
    })

    test.each(['x', 'bm90IGpzb24', Buffer.from('["a"]').toString('base64url'), Buffer.from('[1,2]').toString('base64url')])(
      'a cursor that is not ours is named: %s',
      async (cursor) => {
        for (const list of [records.documents.list, records.projects.list, records.keys.list]) {
          await expect(list(alice, { limit: 1, cursor })).rejects.toMatchObject({ code: errorCode('invalid_cursor') })
        }
      },
    )

    test('pending are those not searchable yet, in the projects asked for', async () => {
      await add()
      await add({ path: 'b' })
      await makeReady()
      await records.queue.claim(1)
      expect(await records.documents.countPending(alice)).toBe(1)
      expect(await records.documents.countPending(alice, [project])).toBe(1)
      expect(await records.documents.countPending(alice, ['prj_other'])).toBe(0)
      expect(await records.documents.countPending(alice, [])).toBe(0)
    })

    test('a deleted one is gone, with its pages, and leaves a tombstone and an event', async () => {
      const { id } = await add()
      await makeReady()
      expect(await records.documents.isBlobReferenced('a'.repeat(64))).toBe(true)
      expect(await records.documents.delete(alice, id)).toBe(true)
      expect(await records.documents.delete(alice, id)).toBe(false)
      expect(await records.documents.isBlobReferenced('a'.repeat(64))).toBe(false)
      expect(await records.documents.pages(alice, id)).toBeNull()
      expect(await records.queue.tombstones()).toEqual([id])
      expect((await types()).at(-1)).toBe('document.deleted')
      await records.queue.clearTombstones([id])
      expect(await records.queue.tombstones()).toEqual([])
    })

    test('more ids than a statement takes parameters', async () => {
      const { id } = await add()
      const many = Array.from({ length: 40_000 }, (_, i) => `doc_${i}`)
      expect([...(await records.documents.getMany(alice, [...many, id])).keys()]).toEqual([id])
      expect(await records.queue.unknown([...many, id])).toHaveLength(40_000)
    })
  })

  describe('the queue', () => {
    test('each is claimed once, the oldest first', async () => {
      const ids: string[] = []
      for (let i = 0; i < 5; i++) {
        ids.push((await add({ path: `${i}` })).id)
        clock.advance(1)
      }
      const claims = (await Promise.all([records.queue.claim(2), records.queue.claim(2), records.queue.claim(2)])).flat()
      expect(claims.map((job) => job.documentId)).toEqual(ids)
      expect(claims[0]).toMatchObject({
        version: 1,
        attempts: 0,
        hasPages: false,
        isNew: true,
        document: { status: 'processing' },
      })
      expect(await records.queue.claim(2)).toEqual([])
    })

    test('from queued to ready: pages, facts, counts and events', async () => {
      const { id } = await add()
      const job = await claimOne()
      expect(await records.queue.savePages(job, PARSED)).toEqual({ tags: ['x', 'y'] })
      expect(await records.documents.pages(alice, id)).toEqual(PAGES)
      expect(await records.queue.beginIndexing([job])).toMatchObject([{ documentId: id, version: 1 }])
      clock.advance(5)
      const warnings = [{ code: warningCode('chunk_not_embedded'), message: 'm' }]
      expect(await records.queue.finish([{ job, chunkCount: 4, chunksSkipped: 1, embeddingModel: 'builtin', warnings }])).toEqual(
        [],
      )
      expect(await records.documents.get(alice, id)).toMatchObject({
        status: 'ready',
        readyAt: clock.now(),
        pageCount: 2,
        chunkCount: 4,
        embeddingModel: 'builtin',
        title: 'A title',
        warnings: [...PARSED.warnings, ...warnings],
        health: { ...HEALTH, chunksSkipped: 1 },
        parse: { engine: 'x' },
      })
      expect(await types()).toEqual(['document.queued', 'document.processing', 'document.ready'])
      expect(await records.queue.expected()).toEqual(new Map([[id, { version: 1, chunks: 4 }]]))
      expect(await records.queue.counts()).toEqual({ queued: 0, processing: 0, ready: 1, failed: 0 })
    })

    test('tags of the file are those of the document until the upload gives some or the file has others', async () => {
      const { id, path } = await add({ tags: null })
      const read = async (tags: string[]): Promise<string[]> => {
        const saved = await records.queue.savePages(await claimOne(), { ...PARSED, tags })
        expect((await records.documents.get(alice, id))!.tags).toEqual(saved!.tags)
        return saved!.tags
      }
      expect(await read(['rent', 'home'])).toEqual(['rent', 'home'])
      await records.documents.requeue(alice, id)
      expect(await read(['home'])).toEqual(['home'])
      // Read again though it has pages, by another version of the parser.
      await records.queue.recover()
      expect(await read(['home', 'lease'])).toEqual(['home', 'lease'])
      await add({ path, tags: null, sha256: 'b'.repeat(64) })
      expect(await read([])).toEqual([])
      await add({ path, tags: ['mine'], sha256: 'c'.repeat(64) })
      expect(await read(['rent'])).toEqual(['mine'])
      await records.documents.requeue(alice, id)
      expect(await read(['rent'])).toEqual(['mine'])
    })

    test('results for a version that was replaced or deleted meanwhile are thrown away', async () => {
      const { id } = await add()
      const old = await claimOne()
      await add({ sha256: 'b'.repeat(64) })
      expect(await records.queue.savePages(old, PARSED)).toBeNull()
      expect(await records.queue.beginIndexing([old])).toEqual([])
      expect(
        await records.queue.finish([{ job: old, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'm', warnings: [] }]),
      ).toEqual([old])
      await records.queue.fail(old, { code: errorCode('corrupt'), message: 'x' })
      await records.queue.release(old, { notBefore: clock.now(), countAttempt: true })
      expect(await records.documents.get(alice, id)).toMatchObject({ status: 'queued', version: 2, error: null })
      const job = await claimOne()
      await records.documents.delete(alice, id)
      expect(await records.queue.finish([{ job, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'm', warnings: [] }])).toEqual([
        job,
      ])
      expect((await types()).at(-1)).toBe('document.deleted')
    })

    test('put back: not before its time, and counted only where the document is to blame', async () => {
      await add()
      const later = new Date(clock.now().getTime() + 1000)
      await records.queue.release(await claimOne(), { notBefore: later, countAttempt: false })
      expect(await records.queue.claim(1)).toEqual([])
      expect(await records.queue.nextDue()).toEqual(later)
      clock.advance(1000)
      const job = await claimOne()
      expect(job.attempts).toBe(0)
      await records.queue.release(job, { notBefore: clock.now(), countAttempt: true })
      expect((await claimOne()).attempts).toBe(1)
      expect(await records.queue.nextDue()).toBeNull()
    })

    test('what was in work when the daemon died is queued again, after those not tried yet, its attempts kept', async () => {
      const { id } = await add()
      await claimOne()
      clock.advance(1)
      const other = await add({ path: 'b' })
      expect(await records.queue.recover()).toBe(1)
      const jobs = await records.queue.claim(2)
      expect(jobs.map((job) => [job.documentId, job.attempts])).toEqual([
        [other.id, 0],
        [id, 1],
      ])
    })

    test('pages that are there need no second parsing, unless a reprocessing asks for it', async () => {
      const { id } = await add()
      const job = await claimOne()
      await records.queue.savePages(job, PARSED)
      await records.queue.recover()
      expect(await claimOne()).toMatchObject({ hasPages: true, version: 1 })
      expect(await records.documents.requeue(alice, id)).toMatchObject({ status: 'queued', version: 2, pageCount: null })
      expect(await claimOne()).toMatchObject({ hasPages: false, version: 2 })
    })

    test('one that may be in the index is never taken for a new one', async () => {
      await add()
      await records.queue.beginIndexing([await claimOne()])
      await records.queue.recover()
      expect(await claimOne()).toMatchObject({ isNew: false })
    })

    test('a failed version takes what was searchable of the one before out of the index; one that comes after stays', async () => {
      const { id } = await add()
      await makeReady()
      await add({ sha256: 'b'.repeat(64) })
      await records.queue.fail(await claimOne(), { code: errorCode('corrupt'), message: 'x' })
      expect(await records.queue.tombstones()).toEqual([id])
      expect(await records.queue.unknown([id])).toEqual([id])
      await records.documents.requeue(alice, id)
      expect(await records.queue.unknown([id])).toEqual([])
      await makeReady()
      expect(await records.queue.tombstones()).toEqual([])
    })

    test('an index built anew: all of them again, from their pages, and what was under way is thrown away', async () => {
      const ready = await add()
      await makeReady()
      await add({ path: 'b' })
      const underWay = await claimOne()
      expect(await records.queue.requeueAll()).toBe(2)
      expect(
        await records.queue.finish([{ job: underWay, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'm', warnings: [] }]),
      ).toEqual([underWay])
      const jobs = await records.queue.claim(5)
      expect(jobs.find((job) => job.documentId === ready.id)).toMatchObject({
        version: 2,
        hasPages: true,
        isNew: true,
        document: { title: 'A title', pageCount: 2 },
      })
    })

    test('those the index has lost go back, and only those', async () => {
      const { id } = await add()
      await makeReady()
      const other = await add({ path: 'b' })
      await records.queue.requeueMany([id, other.id, 'doc_none'])
      expect(await records.documents.get(alice, id)).toMatchObject({ status: 'queued' })
      expect(await records.documents.get(alice, other.id)).toMatchObject({ version: 1 })
      expect(await records.queue.expected()).toEqual(new Map())
    })
  })

  describe('events', () => {
    test('a listener hears of commits for its owner, and can read them by then', async () => {
      const heard: number[] = []
      let wake: () => void = () => {}
      const first = new Promise<void>((resolve) => (wake = resolve))
      const stop = records.events.subscribe(alice, () => {
        heard.push(1)
        wake()
      })
      const bobs: number[] = []
      records.events.subscribe(bob, () => bobs.push(1))
      await add()
      await first
      expect(await types()).toEqual(['document.queued'])
      expect(bobs).toEqual([])
      stop()
      await add({ path: 'b' })
      expect(heard).toEqual([1])
    })

    test('read on from an event, oldest first', async () => {
      await add()
      const after = await records.events.latestId()
      const { id } = await add({ path: 'b' })
      await records.queue.claim(2)
      const events = await records.events.since(alice, after, 2)
      expect(events).toHaveLength(2)
      expect(events[0]).toMatchObject({
        type: 'document.queued',
        documentId: id,
        projectId: project,
        data: { name: 'a.txt', status: 'queued' },
      })
      expect(events[1]!.id).toBeGreaterThan(events[0]!.id)
      await records.events.trim()
      expect(await records.events.since(alice, after, 10)).toHaveLength(3)
    })
  })

  test('activating an index forgets the former active one', async () => {
    expect(await records.indexes.active()).toBeNull()
    await records.indexes.activate({ fingerprint: 'a', embeddingModel: 'builtin', dimensions: 4 })
    const second = await records.indexes.activate({ fingerprint: 'b', embeddingModel: 'builtin', dimensions: 8 })
    expect(await records.indexes.active()).toEqual(second)
    await records.indexes.clear()
    expect(await records.indexes.active()).toBeNull()
  })

  test('says that it is well', async () => {
    expect(await records.check()).toMatchObject({ ok: true })
  })
}
