import { describe, expect } from 'vitest'
import type { PageList } from '../../../src/core/page-list.ts'
import type { NewAttachment } from '../../../src/records/attachments.ts'
import { MAX_ATTACHMENT_DEPTH, MAX_ATTACHMENTS } from '../../../src/records/attachments.ts'
import type { MessageQuery } from '../../../src/records/messages.ts'
import { NO_QUOTAS } from '../../../src/records/quotas.ts'
import type { Records } from '../../../src/records/records.ts'
import { type DocumentsTest, PARSED } from './fixtures.ts'

const KEEP = { isKept: true }
const attachment = (name: string, change: Partial<NewAttachment> = {}): NewAttachment => ({
  name,
  page: 1,
  mediaType: 'text/plain',
  sizeBytes: 5,
  sha256: 'b'.repeat(64),
  ...change,
})

async function read(records: Records, attachments: readonly NewAttachment[], further: object = {}, quotas = NO_QUOTAS) {
  const job = (await records.queue.claim(1))[0]!
  await records.queue.savePages(job, { ...PARSED, warnings: [], attachments, ...further }, quotas)
  await records.queue.finish([{ job, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }])
  return job
}

/** Returns the lines of a list, with documents and pages in order. */
function linesOf(list: PageList): string[] {
  const lines = Buffer.from(list).toString().split('\n')
  const sorted = lines.map((line) => {
    const [id, pages] = line.split(' ')
    return pages === undefined ? id! : `${id} ${pages.split(',').toSorted().join(',')}`
  })
  return sorted.filter((line) => line !== '').toSorted()
}

export function attachmentsConformance(test: DocumentsTest): void {
  describe('attachments', () => {
    const pathsOf = async (records: Records, project: string, parentId: string): Promise<string[]> =>
      (await records.documents.attachments(new Set([project]), [parentId])).map(({ path }) => path)

    test('become documents of their message, with its tags, and each counts', async ({ records, alice, project, add }) => {
      const { id } = await add({ path: 'in/m.eml', name: 'm.eml' })
      await read(records, [attachment('a.txt'), attachment('a.txt', { page: 2 }), attachment('b.pdf')])
      const found = await records.documents.attachments(new Set([project]), [id])
      expect(
        found.map(({ path, parentId, parentPage, tags, status }) => [path, parentId, parentPage, tags.length, status]),
      ).toEqual([
        ['in/m.eml/a (2).txt', id, 2, 2, 'queued'],
        ['in/m.eml/a.txt', id, 1, 2, 'queued'],
        ['in/m.eml/b.pdf', id, 1, 2, 'queued'],
      ])
      expect((await records.users.usage([alice])).get(alice)).toMatchObject({ documents: 4, bytes: 25 })
      const listed = async (parentId: string | null) =>
        (await records.documents.list(new Set([project]), { limit: 10, parentId })).items.map((one) => one.path).toSorted()
      expect(await listed(null)).toEqual(['in/m.eml'])
      expect(await listed(id)).toHaveLength(3)
      expect((await records.projects.contents(project, 5)).folders).toEqual([{ folder: 'in/', documents: 1 }])
    })

    test('stay as they are when the message is read again, except those that changed', async ({ records, project, add }) => {
      const { id } = await add({ path: 'm.eml' })
      await read(records, [attachment('same.txt'), attachment('other.txt'), attachment('gone.txt')])
      for (let i = 0; i < 3; i++) await read(records, [])
      const before = await records.documents.attachments(new Set([project]), [id])
      await records.documents.requeue(new Set([project]), id)
      const other = attachment('other.txt', { sha256: 'c'.repeat(64), sizeBytes: 7 })
      await read(records, [attachment('same.txt'), other, attachment('new.txt')])
      const after = await records.documents.attachments(new Set([project]), [id])
      expect(after.map(({ path, status, version, sizeBytes }) => [path, status, version, sizeBytes])).toEqual([
        ['m.eml/new.txt', 'queued', 1, 5],
        ['m.eml/other.txt', 'queued', 2, 7],
        ['m.eml/same.txt', 'ready', 1, 5],
      ])
      expect(after.slice(1).map((one) => one.id)).toEqual(before.slice(1).map((one) => one.id))
    })

    test('stay when a limit stopped the parser before it had read all', async ({ records, project, add }) => {
      const { id } = await add({ path: 'm.eml' })
      await read(records, [attachment('a.txt'), attachment('b.txt')])
      for (let i = 0; i < 2; i++) await read(records, [])
      await records.documents.requeue(new Set([project]), id)
      await read(records, [attachment('a.txt')], { isWhole: false })
      expect(await pathsOf(records, project, id)).toEqual(['m.eml/a.txt', 'm.eml/b.txt'])
    })

    test('never take the path of another document, and no upload takes theirs', async ({ records, project, add, upload }) => {
      await add({ path: 'm.eml/a.txt', sha256: 'd'.repeat(64) })
      await records.queue.claim(1)
      const { id } = await add({ path: 'm.eml' })
      await read(records, [attachment('a.txt')])
      expect(await pathsOf(records, project, id)).toEqual(['m.eml/a (2).txt'])
      const taking = records.documents.register(upload({ path: 'm.eml/a (2).txt', sha256: 'e'.repeat(64) }), 'replace')
      await expect(taking).rejects.toMatchObject({ code: 'is_attachment' })
    })

    test('go to the trash with their message and come back with it', async ({ records, project, add }) => {
      const projects = new Set([project])
      const { id } = await add({ path: 'm.eml' })
      await read(records, [attachment('inner.eml')])
      await read(records, [attachment('a.txt')])
      const ids = (await records.documents.attachments(projects, [id])).map((one) => one.id)
      expect(ids).toHaveLength(2)
      await records.documents.delete(projects, id, KEEP)
      expect((await records.documents.list(projects, { limit: 10 })).items).toEqual([])
      expect((await records.queue.tombstones()).toSorted()).toEqual([id, ...ids].toSorted())
      expect((await records.trash.list(projects, { limit: 10 })).items.map((one) => one.id)).toEqual([id])
      await expect(records.trash.restore(projects, ids[0]!)).rejects.toMatchObject({ code: 'is_attachment' })
      await records.trash.restore(projects, id)
      expect((await records.documents.attachments(projects, [id])).map((one) => one.id)).toEqual(ids)
      expect(await records.queue.tombstones()).toEqual([])

      await records.documents.delete(projects, id, KEEP)
      await records.trash.delete(projects, id)
      expect(await records.documents.isBlobReferenced('b'.repeat(64))).toBe(false)
    })

    test('move with their message, and get its tags', async ({ records, alice, project, add }) => {
      const target = (await records.projects.create({ ownerId: alice, name: 'other', description: '' })).id
      const { id } = await add({ path: 'm.eml' })
      await read(records, [attachment('a.txt')])
      await read(records, [])
      await records.documents.edit(new Set([project]), id, { path: 'x/n.eml', tags: ['z'], projectId: target }, null)
      const [moved] = await records.documents.attachments(new Set([target]), [id])
      expect(moved).toMatchObject({ path: 'x/n.eml/a.txt', tags: ['z'], projectId: target, status: 'queued', version: 2 })
      expect(await records.documents.attachments(new Set([project]), [id])).toEqual([])
    })

    test('that exceed a quota or a limit are named in a warning', async ({ records, project, add }) => {
      const { id } = await add({ path: 'm.eml' })
      const skipped = [
        { name: 'photo.png', page: 1, code: 'unsupported_type' },
        { name: 'locked.pdf', page: 1, code: 'encrypted' },
      ]
      const quotas = { ...NO_QUOTAS, bytes: 15 }
      await read(records, [attachment('a.txt'), attachment('b.txt')], { attachmentsSkipped: skipped }, quotas)
      const message = await records.documents.get(new Set([project]), id)
      expect(message!.parse['attachments_skipped']).toEqual([...skipped, { name: 'b.txt', page: 1, code: 'quota_exceeded' }])
      expect(message!.warnings).toMatchObject([{ code: 'attachments_skipped', page: 1 }])
      expect(message!.warnings[0]!.message).toMatch(/locked\.pdf \(needs a password\), b\.txt \(exceeds a quota\)/)
      expect(message!.warnings[0]!.message).not.toContain('photo.png')
    })

    test('that exceed a quota are not restored with their message', async ({ records, project, add }) => {
      const projects = new Set([project])
      const { id } = await add({ path: 'm.eml' })
      await read(records, [attachment('a.txt'), attachment('b.txt')])
      const [a, b] = await records.documents.attachments(projects, [id])
      await records.documents.delete(projects, id, KEEP)
      const restored = await records.trash.restore(projects, id, { ...NO_QUOTAS, documents: 2 })
      expect(restored).toMatchObject({ document: { id }, refusedIds: [b!.id] })
      expect((await records.documents.attachments(projects, [id])).map((one) => one.id)).toEqual([a!.id])
    })

    test('that are no documents are counted, and the first ones are listed', async ({ records, project, add }) => {
      const { id } = await add({ path: 'm.mbox' })
      const skipped = Array.from({ length: 150 }, (_, i) => ({ name: `${i}.txt`, page: 1, code: 'too_many_attachments' }))
      await read(records, [], { attachmentsSkipped: skipped, attachmentsUnlisted: 50 })
      const { parse, warnings } = (await records.documents.get(new Set([project]), id))!
      expect(parse['attachments_skipped']).toEqual(skipped.slice(0, 100))
      expect(parse['attachments_skipped_count']).toBe(200)
      expect(warnings[0]!.message).toMatch(/4\.txt \(.*\) and 195 more\. Upload/)
    })

    test('are bounded in depth and number', async ({ records, project, add }) => {
      const projects = new Set([project])
      const { id } = await add({ path: 'm.eml' })
      for (let i = 0; i <= MAX_ATTACHMENT_DEPTH; i++) await read(records, [attachment('inner.eml')])
      const chain = await records.documents.attachments(projects, [id])
      expect(chain).toHaveLength(MAX_ATTACHMENT_DEPTH)
      expect(chain.at(-1)!.warnings).toMatchObject([{ code: 'attachments_skipped' }])
      await records.documents.requeue(projects, id)
      await read(
        records,
        Array.from({ length: MAX_ATTACHMENTS + 1 }, (_, i) => attachment(`${i}.txt`)),
      )
      expect(await records.documents.attachments(projects, [id])).toHaveLength(MAX_ATTACHMENTS)
    })
  })

  describe('headers of messages', () => {
    const header = (page: number, change: object = {}) => ({
      page,
      subject: 'The Harbour',
      from: 'Ada Lovelace <ada@example.org>',
      to: 'Bob <bob@example.org>',
      cc: 'Élodie <e@example.org>',
      sentAt: '2024-05-03T12:05:00.000Z',
      messageId: `${page}@example.org`,
      answers: [] as string[],
      ...change,
    })

    test('are found by people, subject and time, with the attachments of the message', async ({
      records,
      project,
      alice,
      bob,
      add,
    }) => {
      const { id } = await add({ path: 'a.mbox' })
      const late = { subject: 'Re: Ärger', from: 'bob@example.org', sentAt: '2024-06-01T00:00:00.000Z' }
      const messages = [header(1), header(2, late), header(3, { sentAt: null })]
      await read(records, [attachment('one.txt'), attachment('two.txt', { page: 2 })], { messages })
      const projects = new Set([project])
      const [, two] = await records.documents.attachments(projects, [id])
      const find = async (...queries: MessageQuery[]) =>
        linesOf(await records.messages.find(projects, queries, { userId: alice }))
      const pagesOf = async (...queries: MessageQuery[]) =>
        (await find(...queries)).find((line) => line.startsWith(id))?.slice(id.length + 1)
      expect(await pagesOf({ from: ['LOVELACE'] })).toBe('1,3')
      expect(await pagesOf({ from: ['ada', '@example.org'] })).toBe('1,3')
      expect(await pagesOf({ to: ['élodie'] })).toBe('1,2,3')
      expect(await pagesOf({ subject: ['ÄRGER'] })).toBe('2')
      expect(await pagesOf({ sentAfter: new Date('2024-05-03T12:05:00Z'), sentBefore: new Date('2024-06-01T00:00:00Z') })).toBe(
        '1',
      )
      expect(await pagesOf({ subject: ['ärger'] }, { sentBefore: new Date('2024-05-04') })).toBe('1,2')
      expect(await find({ from: ['nobody'] })).toEqual([])
      expect(await find({ subject: ['ärger'] })).toEqual([`${id} 2`, two!.id].toSorted())
      const others = (await records.projects.create({ ownerId: bob, name: 'hers', description: '' })).id
      expect(linesOf(await records.messages.find(new Set([others]), [{}], { userId: bob }))).toEqual([])
      expect(await records.messages.get(id, 1)).toEqual({
        from: 'Ada Lovelace <ada@example.org>',
        sentAt: new Date('2024-05-03T12:05:00Z'),
      })
      expect(await records.messages.get(id, 4)).toBeNull()
    })

    test('say which messages one answers, and replies are indexed again when these go', async ({ records, project, add }) => {
      const projects = new Set([project])
      const { id: first } = await add({ path: 'a.eml' })
      await read(records, [], { messages: [header(1)] })
      const { id: reply } = await add({ path: 'b.eml' })
      await read(records, [], { messages: [header(1, { messageId: 'r@example.org', answers: ['1@example.org', 'x@y.org'] })] })
      expect(await records.messages.answeredBy(project, reply)).toEqual(new Map([[1, [{ documentId: first, page: 1 }]]]))
      await records.messages.setQuoted(reply, [first])
      await records.documents.delete(projects, first, KEEP)
      expect(await records.documents.get(projects, reply)).toMatchObject({ status: 'queued', version: 2 })
      expect(await records.messages.answeredBy(project, reply)).toEqual(new Map())
    })
  })
}
