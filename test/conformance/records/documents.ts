import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import type { ProjectIds } from '../../../src/records/projects.ts'
import { DOCUMENT_SORTS, SORT_ORDERS, type DocumentRecord, type DocumentSort } from '../../../src/core/model.ts'
import { PARSED, type DocumentsTest } from './fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

export function documentsConformance(test: DocumentsTest): void {
  describe('documents', () => {
    test('hides a document from other owners, who can neither requeue nor delete it', async ({
      records,
      alice,
      bob,
      add,
      makeReady,
      eventTypes,
    }) => {
      const { id } = await add()
      expect(await records.documents.get(await visibleTo(records, bob), id)).toBeNull()
      expect(await records.documents.getMany(await visibleTo(records, bob), [id])).toEqual(new Map())
      expect((await records.documents.list(await visibleTo(records, bob), { limit: 10 })).items).toEqual([])
      expect(await records.documents.countPending(await visibleTo(records, bob))).toBe(0)
      expect(await records.documents.requeue(await visibleTo(records, bob), id)).toBeNull()
      expect(await records.documents.delete(await visibleTo(records, bob), id)).toBe(false)
      await makeReady()
      expect(await records.documents.pages(await visibleTo(records, bob), id)).toBeNull()
      expect(await eventTypes(bob)).toEqual([])
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({ status: 'ready' })
    })

    test('shows every change when the same lookup is repeated', async ({ records, alice, project, add, claimOne }) => {
      const { id } = await add()
      const look = async () => {
        const document = (await records.documents.getMany(await visibleTo(records, alice), [id])).get(id)
        const pending = await records.documents.countPending(new Set([project]))
        const names = (await records.members.visibleTo(alice)).projects.map(({ name }) => name)
        return [
          document?.version,
          document?.status,
          document?.projectName,
          pending,
          names.includes('renamed'),
          names.includes('default'),
        ]
      }
      expect(await look()).toEqual([1, 'queued', 'default', 1, false, true])
      await records.projects.update(project, { name: 'renamed' })
      expect(await look()).toEqual([1, 'queued', 'renamed', 1, true, false])
      const job = await claimOne()
      expect(await look()).toEqual([1, 'processing', 'renamed', 1, true, false])
      await records.queue.fail(job, { code: errorCode('encrypted'), message: 'm' })
      expect(await look()).toEqual([1, 'failed', 'renamed', 0, true, false])
      await records.documents.requeue(await visibleTo(records, alice), id)
      expect(await look()).toEqual([2, 'queued', 'renamed', 1, true, false])
      await records.documents.delete(await visibleTo(records, alice), id)
      expect(await look()).toEqual([undefined, undefined, undefined, 0, true, false])
      await records.projects.delete(project)
      expect(await look()).toEqual([undefined, undefined, undefined, 0, false, false])
    })

    test('finds nothing of a deleted user, also after a lookup', async ({ records, bob, add }) => {
      const { id: projectId } = await records.projects.create({ ownerId: bob, name: 'own', description: '' })
      const { id } = await add({ uploaderId: bob, projectId })
      const look = async () => [
        (await records.documents.getMany(await visibleTo(records, bob), [id])).size,
        await records.documents.countPending(await visibleTo(records, bob)),
        (await records.members.visibleTo(bob)).projects[0]?.id ?? null,
      ]
      expect(await look()).toEqual([1, 1, projectId])
      await records.users.delete(bob)
      expect(await look()).toEqual([0, 0, null])
    })

    test.for([1, 2, 9])(
      'lists the documents of %d projects newest first, each once, also documents of the same millisecond',
      async (count, { records, clock, alice, project, add }) => {
        const projects = [project]
        while (projects.length < count)
          projects.push((await records.projects.create({ ownerId: alice, name: `p${projects.length}`, description: '' })).id)
        const hidden = await records.projects.create({ ownerId: alice, name: 'hidden', description: '' })
        const expected: { id: string; at: number }[] = []
        for (let i = 0; i < 40; i++) {
          // Some projects have many of the newest documents, and others none.
          const projectId = i % 4 === 0 ? hidden.id : projects[(i * i * 7) % projects.length]!
          const { id, createdAt } = await add({ path: `${i}`, projectId })
          if (projectId !== hidden.id) expected.push({ id, at: createdAt.getTime() })
          if (i % 3 === 0) clock.advance(1)
        }
        expected.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
        for (const limit of [1, 2, 7, 100]) {
          const seen: string[] = []
          let cursor: string | undefined
          do {
            const page = await records.documents.list(new Set(projects), { limit, ...(cursor && { cursor }) })
            seen.push(...page.items.map((item) => item.id))
            cursor = page.nextCursor ?? undefined
          } while (cursor)
          expect(seen).toEqual(expected.map(({ id }) => id))
        }
      },
    )

    test.for(
      Object.keys(DOCUMENT_SORTS).flatMap((sort) =>
        SORT_ORDERS.flatMap((order) => [1, 3].map((count) => [sort as DocumentSort, order, count] as const)),
      ),
    )(
      'sorts by %s, %s, in %d projects, each document once',
      async ([sort, order, count], { records, alice, project, add, clock }) => {
        const projects = [project]
        while (projects.length < count)
          projects.push((await records.projects.create({ ownerId: alice, name: `p${projects.length}`, description: '' })).id)
        for (let i = 0; i < 20; i++) {
          // Several documents have the same value, in other letter case too.
          const name = `${i % 2 === 0 ? 'B' : 'b'}${(i * 7) % 5}.txt`
          await add({ path: `${i}/${name}`, name, sizeBytes: (i * 11) % 6, projectId: projects[(i * i) % count]! })
          if (i % 3 === 0) clock.advance(1)
        }
        for (const [i, job] of (await records.queue.claim(8)).entries())
          await records.queue.savePages(job, { ...PARSED, pageCount: i % 3 })
        const visible = new Set(projects)
        const all = await records.documents.list(visible, { limit: 100 })
        const valueOf = (document: DocumentRecord) =>
          ({
            newest: document.createdAt.getTime(),
            name: document.name.toLowerCase(),
            size: document.sizeBytes,
            pages: document.pageCount ?? 0,
            status: document.status,
          })[sort]
        const isBefore = (a: DocumentRecord, b: DocumentRecord) =>
          valueOf(a) < valueOf(b) || (valueOf(a) === valueOf(b) && a.id < b.id)
        const sorted = all.items.toSorted((a, b) => ((order === 'asc' ? isBefore(a, b) : isBefore(b, a)) ? -1 : 1))
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const page = await records.documents.list(visible, { limit: 3, sort, order, ...(cursor && { cursor }) })
          seen.push(...page.items.map(({ id }) => id))
          cursor = page.nextCursor ?? undefined
        } while (cursor)
        expect(seen).toEqual(sorted.map(({ id }) => id))
      },
    )

    test('filters by project, status, hash and part of the name, where wildcards and case have no meaning', async ({
      records,
      clock,
      alice,
      add,
    }) => {
      const other = await records.projects.create({ ownerId: alice, name: 'other', description: '' })
      await add({ path: '1', name: '100%_Ärger.txt' })
      clock.advance(1)
      await add({ path: '2', name: '1000 other.txt', sha256: 'b'.repeat(64) })
      await add({ path: '3', name: 'c.txt', projectId: other.id })
      const paths = async (filter: object, projects?: ProjectIds) =>
        (await records.documents.list(projects ?? (await visibleTo(records, alice)), { limit: 10, ...filter })).items.map(
          (item) => item.path,
        )
      expect(await paths({ name: '0%' })).toEqual(['1'])
      expect(await paths({ name: '%_ä' })).toEqual(['1'])
      expect(await paths({ name: '_other' })).toEqual([])
      expect(await paths({ name: 'OTHER' })).toEqual(['2'])
      expect(await paths({ sha256: 'b'.repeat(64) })).toEqual(['2'])
      expect(await paths({}, new Set([other.id]))).toEqual(['3'])
      await records.queue.claim(1)
      expect(await paths({ status: 'processing' })).toEqual(['1'])
      expect(await paths({ status: ['processing'] })).toEqual(['1'])
      expect(await paths({ status: ['queued', 'processing'] })).toContain('1')
      expect(await paths({ status: ['failed'] })).toEqual([])
    })

    test('filters by the beginning of the path, where case counts and no character is a wildcard, by tag and by type', async ({
      records,
      alice,
      add,
    }) => {
      const last = '\u{10ffff}'
      const all = [
        'a%/1',
        'a_/1',
        'aX/1',
        'A%/1',
        'a',
        `a${last}b`,
        'b',
        '\ud7ff',
        '\ud7ff1',
        '\ue000',
        '🙂/1',
        '🙃',
        `${last}${last}`,
        `b'"\\/1`,
      ]
      for (const path of all) await add({ path })
      const paths = async (filter: object) =>
        (await records.documents.list(await visibleTo(records, alice), { limit: 100, ...filter })).items
          .map((item) => item.path)
          .toSorted()
      for (const pathPrefix of [...all, 'a%', 'a_', 'A', `a${last}`, '🙂/', last, `b'`, 'c']) {
        const expected = all.filter((path) => path.startsWith(pathPrefix)).toSorted()
        expect(await paths({ pathPrefix }), pathPrefix).toEqual(expected)
      }
      await add({ path: 'tagged', tags: ['draft', `it's "quoted"`], mediaType: 'application/pdf' })
      await add({ path: 'other', tags: ['drafts'] })
      expect(await paths({ tags: ['draft'] })).toEqual(['tagged'])
      expect(await paths({ tags: [`it's "quoted"`] })).toEqual(['tagged'])
      expect(await paths({ tags: ['DRAFT'] })).toEqual([])
      expect(await paths({ tags: ['draft', 'drafts', 'none'] })).toEqual(['other', 'tagged'])
      expect(await paths({ mediaTypes: ['application/pdf', 'text/plain'], tags: ['drafts'] })).toEqual(['other'])
      expect(await paths({ mediaTypes: ['application/pdf'] })).toEqual(['tagged'])
      expect(await paths({ mediaTypes: ['application/pdf'], tags: ['drafts'] })).toEqual([])
    })

    test('lists documents by the end of the id and by when they were created', async ({ records, alice, add, clock }) => {
      const created: { id: string; path: string; createdAt: Date }[] = []
      for (const path of ['a', 'b', 'c']) {
        created.push(await add({ path }))
        clock.advance(1000)
      }
      const [first, second, third] = created
      const paths = async (filter: object) =>
        (await records.documents.list(await visibleTo(records, alice), { limit: 100, ...filter })).items
          .map((item) => item.path)
          .toSorted()
      expect(await paths({ idSuffix: second!.id.slice(-8) })).toEqual(['b'])
      expect(await paths({ idSuffix: '%'.repeat(6) })).toEqual([])
      expect(await paths({ createdAfter: second!.createdAt })).toEqual(['b', 'c'])
      expect(await paths({ createdBefore: second!.createdAt })).toEqual(['a'])
      expect(await paths({ createdAfter: first!.createdAt, createdBefore: third!.createdAt })).toEqual(['a', 'b'])
    })

    test('finds documents by their paths in a project, and the numbered copy of a file', async ({
      records,
      alice,
      project,
      upload,
      add,
    }) => {
      const other = await records.projects.create({ ownerId: alice, name: 'other', description: '' })
      await add({ path: 'a.txt', projectId: other.id })
      const [one, two] = [await add({ path: 'a.txt' }), await add({ path: 'f/b.txt' })]
      const paths = Array.from({ length: 1200 }, (_, i) => `none ${i}`)
      const found = await records.documents.atPaths(project, ['a.txt', ...paths, 'f/b.txt', 'A.txt'])
      expect(new Map([...found].map(([path, { id }]) => [path, id]))).toEqual(
        new Map([
          ['a.txt', one.id],
          ['f/b.txt', two.id],
        ]),
      )
      const copy = { path: 'a.txt', sha256: 'c'.repeat(64) }
      for (const sha256 of ['b'.repeat(64), copy.sha256])
        await records.documents.register(upload({ path: 'a.txt', sha256 }), 'keep')
      expect(await records.documents.numberedCopy(project, copy)).toMatchObject({ path: 'a (3).txt' })
      expect(await records.documents.numberedCopy(project, { ...copy, sha256: 'd'.repeat(64) })).toBeNull()
      expect(await records.documents.numberedCopy(other.id, copy)).toBeNull()
    })

    test('edits a document that is ready, which stays ready if its passages are prepared', async ({
      records,
      alice,
      bob,
      project,
      add,
      makeReady,
      eventTypes,
    }) => {
      const { id } = await add({ path: 'a/old.txt' })
      await makeReady()
      const before = (await records.documents.get(await visibleTo(records, alice), id))!
      const other = await records.projects.create({ ownerId: alice, name: 'other', description: '' })
      const change = { name: 'New.txt', path: 'b/new.txt', title: 'A new title', tags: ['x'], projectId: other.id }
      const prepared = { version: before.version, words: JSON.stringify(['zebra zebra']) }
      expect(await records.documents.edit(await visibleTo(records, bob), id, change, prepared)).toBeNull()
      const edited = await records.documents.edit(await visibleTo(records, alice), id, change, prepared)
      expect(edited).toMatchObject({ isPrepared: true, document: { ...change, status: 'ready', version: before.version + 1 } })
      expect(await records.documents.get(await visibleTo(records, alice), id)).toEqual(edited?.document)
      expect((await records.vocabulary.entries(new Set([other.id]), ['zebra'])).map(({ word }) => word)).toEqual(['zebra'])
      expect((await records.documents.list(await visibleTo(records, alice), { limit: 9, name: 'new.TXT' })).items).toHaveLength(1)
      expect([(await records.projects.get(project))?.counts, (await records.projects.get(other.id))?.counts]).toMatchObject([
        { documents: 0 },
        { documents: 1 },
      ])
      expect((await records.queue.expected()).get(id)?.version).toBe(before.version + 1)
      expect((await records.documents.pages(await visibleTo(records, alice), id))?.length).toBe(2)
      // The members of the former project hear that it has the document no longer.
      expect((await eventTypes()).slice(-2)).toEqual(['document.deleted', 'document.ready'])
    })

    test('queues an edited document again, with its pages, if its passages are not prepared or another version is there', async ({
      records,
      alice,
      add,
      makeReady,
    }) => {
      const { id } = await add()
      await makeReady()
      const words = '[]'
      const edited = await records.documents.edit(await visibleTo(records, alice), id, { title: 'Mine' }, { version: 99, words })
      expect(edited).toMatchObject({ isPrepared: false, document: { status: 'queued', version: 2, title: 'Mine' } })
      const [job] = await records.queue.claim(1)
      expect(job).toMatchObject({ version: 2, hasPages: true, isNew: false, document: { title: 'Mine' } })
      // The job is no longer wanted, because its passages have the old path.
      await records.documents.edit(await visibleTo(records, alice), id, { path: 'moved.txt' }, { version: 2, words })
      expect(await records.queue.beginIndexing([{ ...job!, passages: 1 }])).toMatchObject({ wanted: [] })
      expect((await records.queue.claim(1))[0]).toMatchObject({ version: 3, document: { path: 'moved.txt', title: 'Mine' } })
    })

    test('a title that the user gave stays when the document is processed again', async ({
      records,
      alice,
      add,
      makeReady,
      claimOne,
    }) => {
      const { id } = await add()
      await records.documents.edit(await visibleTo(records, alice), id, { title: 'Mine' }, null)
      await makeReady()
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({ status: 'ready', title: 'Mine' })
      await records.documents.requeue(await visibleTo(records, alice), id)
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({ status: 'queued', title: 'Mine' })
      await claimOne()
    })

    test('refuses an edit to a path that is taken, or to a project that is gone or has no room, and changes nothing', async ({
      records,
      alice,
      bob,
      add,
    }) => {
      const { id } = await add({ path: 'a.txt' })
      await add({ path: 'b.txt' })
      const foreign = await records.projects.create({ ownerId: bob, name: 'own', description: '' })
      await expect(
        records.documents.edit(await visibleTo(records, alice), id, { path: 'b.txt', name: 'x' }, null),
      ).rejects.toMatchObject({
        code: errorCode('path_taken'),
      })
      const mine = await visibleTo(records, alice)
      await expect(records.documents.edit(mine, id, { projectId: 'prj_none', name: 'x' }, null)).rejects.toMatchObject({
        code: errorCode('project_not_found'),
      })
      const full = { documents: null, bytes: 9, passages: null }
      await expect(records.documents.edit(mine, id, { projectId: foreign.id, name: 'x' }, null, full)).rejects.toMatchObject({
        code: errorCode('quota_exceeded'),
      })
      expect(await records.documents.get(await visibleTo(records, alice), id)).toMatchObject({
        path: 'a.txt',
        name: 'a.txt',
        version: 1,
      })
      expect(await records.documents.edit(await visibleTo(records, alice), id, { path: 'a.txt' }, null)).toMatchObject({
        document: { path: 'a.txt' },
      })
    })

    test('a document that moves to the project of another owner counts for that owner', async ({ records, alice, bob, add }) => {
      const { id } = await add({ path: 'a.txt' })
      const { id: foreign } = await records.projects.create({ ownerId: bob, name: 'own', description: '' })
      const mine = await visibleTo(records, alice)
      expect((await records.documents.edit(mine, id, { projectId: foreign }, null))?.document).toMatchObject({ ownerId: bob })
      const usage = await records.users.usage([alice, bob])
      expect([usage.get(alice)?.documents, usage.get(bob)?.documents]).toEqual([0, 1])
      expect(await records.documents.get(mine, id)).toBeNull()
      expect(await records.documents.get(new Set([foreign]), id)).toMatchObject({ projectId: foreign })
      expect((await records.queue.claim(1, { except: [alice] })).map((job) => job.documentId)).toEqual([id])
    })

    test.for(['x', 'bm90IGpzb24', Buffer.from('["a"]').toString('base64url'), Buffer.from('[1,2]').toString('base64url')])(
      'refuses an invalid cursor: %s',
      async (cursor, { records, alice }) => {
        const visible = await visibleTo(records, alice)
        const lists = [
          records.documents.list(visible, { limit: 1, cursor }),
          records.projects.list(visible, { limit: 1, cursor }),
        ]
        for (const list of [...lists, records.keys.list(alice, { limit: 1, cursor })])
          await expect(list).rejects.toMatchObject({ code: errorCode('invalid_cursor') })
      },
    )

    test('counts the queued and processing documents in the given projects', async ({
      records,
      alice,
      project,
      add,
      makeReady,
    }) => {
      await add()
      await add({ path: 'b' })
      await makeReady()
      await records.queue.claim(1)
      expect(await records.documents.countPending(await visibleTo(records, alice))).toBe(1)
      expect(await records.documents.countPending(new Set([project]))).toBe(1)
      expect(await records.documents.countPending(new Set(['prj_other']))).toBe(0)
      expect(await records.documents.countPending(new Set([]))).toBe(0)
    })

    test('deletes a document with its pages, and leaves a tombstone and an event', async ({
      records,
      alice,
      add,
      makeReady,
      eventTypes,
    }) => {
      const { id } = await add()
      await makeReady()
      expect(await records.documents.isBlobReferenced('a'.repeat(64))).toBe(true)
      expect(await records.documents.delete(await visibleTo(records, alice), id)).toBe(true)
      expect(await records.documents.delete(await visibleTo(records, alice), id)).toBe(false)
      expect(await records.documents.isBlobReferenced('a'.repeat(64))).toBe(false)
      expect(await records.documents.pages(await visibleTo(records, alice), id)).toBeNull()
      expect(await records.queue.tombstones()).toEqual([id])
      expect((await eventTypes()).at(-1)).toBe('document.deleted')
      await records.queue.clearTombstones([id])
      expect(await records.queue.tombstones()).toEqual([])
    })

    test('accepts 40,000 ids at once', async ({ records, alice, add }) => {
      const { id } = await add()
      const many = Array.from({ length: 40_000 }, (_, i) => `doc_${i}`)
      expect([...(await records.documents.getMany(await visibleTo(records, alice), [...many, id])).keys()]).toEqual([id])
      expect(await records.queue.unknown([...many, id])).toHaveLength(40_000)
    })
  })
}
