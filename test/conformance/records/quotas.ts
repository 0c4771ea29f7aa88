import { describe, expect } from 'vitest'
import type { DocumentRecord, Quotas, Usage } from '../../../src/core/model.ts'
import { isDocsearchError } from '../../../src/core/errors.ts'
import { NO_QUOTAS } from '../../../src/records/quotas.ts'
import type { Records } from '../../../src/records/records.ts'
import { errorCode } from '../../support/codes.ts'
import { seeded } from '../../support/seeded.ts'
import { HEALTH, type DocumentsTest } from './fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

const quota = (change: Partial<Quotas>): Quotas => ({ ...NO_QUOTAS, ...change })
const refusal = (kind: keyof Quotas, limit: number, used: number) => ({
  code: errorCode('quota_exceeded'),
  details: { quota: kind, limit, used },
  message: expect.stringContaining(`${limit} ${kind.slice(0, -1)}`),
})

export function quotasConformance(test: DocumentsTest): void {
  describe('quotas', () => {
    test('refuse a document, a replacement and a copy that would exceed the bytes, and allow a smaller one', async ({
      records,
      alice,
      upload,
    }) => {
      const file = (path: string, sizeBytes: number, onConflict: 'replace' | 'keep' = 'replace') =>
        records.documents.register(upload({ path, sizeBytes, sha256: `${path}${sizeBytes}` }), onConflict, quota({ bytes: 100 }))
      await file('a', 60)
      await expect(file('b', 41)).rejects.toMatchObject(refusal('bytes', 100, 60))
      await file('b', 40)
      await expect(file('b', 41)).rejects.toMatchObject(refusal('bytes', 100, 100))
      await expect(file('b', 1, 'keep')).rejects.toMatchObject(refusal('bytes', 100, 100))
      await file('b', 10)
      expect((await records.users.usage([alice])).get(alice)).toEqual({ documents: 2, bytes: 70, passages: 0 })
      expect(await records.users.totals()).toMatchObject({ disabled: 0, documents: 2, bytes: 70 })
      // With a lower quota, a document may still become smaller.
      await records.documents.register(upload({ path: 'a', sizeBytes: 59, sha256: 'a59' }), 'replace', quota({ bytes: 5 }))
    })

    test('count every copy of a document, and refuse simultaneous uploads that would exceed them together', async ({
      records,
      upload,
      alice,
    }) => {
      const uploads = Array.from({ length: 10 }, (_, i) =>
        records.documents.register(upload({ path: `${i}` }), 'replace', quota({ documents: 3 })),
      )
      const outcomes = await Promise.allSettled(uploads)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refusal('documents', 3, 3) })
      expect((await records.documents.list(await visibleTo(records, alice), { limit: 100 })).items).toHaveLength(3)
      const { document } = outcomes.find((outcome) => outcome.status === 'fulfilled')!.value
      const again = await records.documents.register(upload({ path: document.path }), 'replace', quota({ documents: 3 }))
      expect(again).toMatchObject({ outcome: 'unchanged' })
    })

    test('refuse passages before they go to the index, and count all passages of the commit', async ({
      records,
      alice,
      add,
      claimOne,
    }) => {
      for (const path of ['a', 'b', 'c']) await add({ path })
      const jobs = [await claimOne(), await claimOne(), await claimOne()]
      const [first, second, third] = jobs.map(({ document }) => document) as [DocumentRecord, DocumentRecord, DocumentRecord]
      const cut = jobs.map((job, i) => ({ ...job, passages: [6, 5, 4][i]! }))
      const begun = await records.queue.beginIndexing(cut, quota({ passages: 10 }))
      expect(begun.wanted.map(({ documentId }) => documentId)).toEqual([first.id, third.id])
      expect(begun.refused).toMatchObject([{ job: { documentId: second.id, version: 1 }, error: refusal('passages', 10, 6) }])
      expect((await records.users.usage([alice])).get(alice)).toMatchObject({ passages: 10 })
      await expect(
        records.documents.register({ ...first, uploaderId: alice, path: 'd', tags: [] }, 'replace', quota({ passages: 10 })),
      ).rejects.toMatchObject(refusal('passages', 10, 10))
      expect((await records.documents.get(await visibleTo(records, alice), second.id))?.status).toBe('processing')
    })

    test('keep room for the next version of a document, and never fail a document that does not grow', async ({
      records,
      alice,
      upload,
      makeReady,
      claimOne,
      add,
    }) => {
      const passages = async () => (await records.users.usage([alice])).get(alice)?.passages
      await add()
      await makeReady(3)
      await records.documents.register(upload({ sha256: 'b' }), 'replace')
      expect(await passages()).toBe(3)
      const job = await claimOne()
      const begin = async (count: number, limit: number) =>
        (await records.queue.beginIndexing([{ ...job, passages: count }], quota({ passages: limit }))).refused.length
      expect(await begin(3, 2)).toBe(0)
      expect(await begin(4, 2)).toBe(1)
      expect(await begin(4, 4)).toBe(0)
      await records.queue.fail(job, { code: errorCode('corrupt'), message: 'broken' })
      expect(await passages()).toBe(0)
      // The same bytes again would need room for passages.
      const again = (limit: number) => records.documents.register(upload({ sha256: 'b' }), 'replace', quota({ passages: limit }))
      await add({ path: 'other' })
      await makeReady(2)
      await expect(again(2)).rejects.toMatchObject(refusal('passages', 2, 2))
      expect(await again(3)).toMatchObject({ outcome: 'unchanged', document: { status: 'queued' } })
    })

    test('come from the instance, unless the user has other quotas or none', async ({ records, alice, bob, upload }) => {
      const file = (path: string) => records.documents.register(upload({ path }), 'replace', quota({ documents: 1 }))
      await file('a')
      await expect(file('b')).rejects.toMatchObject(refusal('documents', 1, 1))
      expect((await records.users.update(alice, { quotas: { documents: 2 } }))?.ownQuotas).toEqual(quota({ documents: 2 }))
      await file('b')
      await expect(file('c')).rejects.toMatchObject(refusal('documents', 2, 2))
      await records.users.update(alice, { quotas: { documents: 0, bytes: 10 ** 12 } })
      await file('c')
      await records.users.update(alice, { quotas: { documents: null, bytes: undefined } })
      expect((await records.users.get(alice))?.ownQuotas).toEqual(quota({ bytes: 10 ** 12 }))
      await expect(file('d')).rejects.toMatchObject(refusal('documents', 1, 3))
      expect((await records.users.get(bob))?.ownQuotas).toEqual(NO_QUOTAS)
    })

    test.for([1, 2, 3])(
      'are never exceeded, and the counted usage is the sum (seed %i)',
      async (seed, { records, alice, bob }) => {
        const random = seeded(seed)
        const limits: Quotas = { documents: 5, bytes: 300, passages: 12 }
        const world = await randomUploads(records, [alice, bob], limits, random)
        // Documents of one millisecond have no fixed order, so the same seed does not always reach the same refusals in 150 changes.
        for (let step = 0; step < 150 || (world.refused.size < 3 && step < 5000); step++) {
          await world.change()
          for (const [owner, usage] of await records.users.usage([alice, bob])) {
            expect(usage).toEqual(await world.sum(owner))
            for (const kind of ['documents', 'bytes', 'passages'] as const) expect(usage[kind]).toBeLessThanOrEqual(limits[kind]!)
          }
        }
        expect(world.refused).toEqual(new Set(['documents', 'bytes', 'passages']))
      },
    )
  })
}

/** Makes one random change at a time: uploads in parallel, replacements, deletions, and documents that become ready or fail. */
async function randomUploads(records: Records, owners: readonly string[], limits: Quotas, random: () => number) {
  const { documents, projects, queue } = records
  const below = (end: number) => Math.floor(random() * end)
  const refused = new Set<unknown>()
  /** Passages that each document counts for. */
  const passages = new Map<string, number>()
  const projectOf = new Map<string, string>()
  for (const ownerId of owners) projectOf.set(ownerId, (await projects.create({ ownerId, name: 'p', description: '' })).id)

  async function upload(ownerId: string): Promise<void> {
    const content = { name: 'a', mediaType: 'text/plain', sizeBytes: below(120), sha256: `${below(1e6)}`, tags: null }
    const file = { ...content, uploaderId: ownerId, projectId: projectOf.get(ownerId)!, path: `${below(9)}` }
    try {
      await documents.register(file, random() < 0.8 ? 'replace' : 'keep', limits)
    } catch (error) {
      if (!isDocsearchError(error, 'quota_exceeded')) throw error
      refused.add(error.details['quota'])
    }
  }

  async function process(): Promise<void> {
    const claimed = await queue.claim(3)
    for (const job of claimed)
      await queue.savePages(job, { pages: [], title: null, pageCount: 1, warnings: [], health: HEALTH, facts: {} })
    const cut = claimed.map((job) => ({ ...job, passages: below(6) }))
    const begun = await queue.beginIndexing(cut, limits)
    for (const { job, error } of begun.refused) {
      refused.add(error.details['quota'])
      await queue.fail(job, error)
      passages.set(job.documentId, 0)
    }
    for (const job of begun.wanted) {
      const count = cut.find(({ documentId }) => documentId === job.documentId)!.passages
      passages.set(job.documentId, count)
      if (random() < 0.2) continue
      await queue.finish([{ job, chunkCount: count, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }])
    }
  }

  return {
    refused,
    async change(): Promise<void> {
      const owner = owners[below(owners.length)]!
      const choice = random()
      if (choice < 0.4) await Promise.all(Array.from({ length: 1 + below(3) }, () => upload(owner)))
      else if (choice < 0.8) await process()
      else if (choice < 0.85) await queue.recover()
      else {
        const own = new Set([projectOf.get(owner)!])
        const { items } = await documents.list(own, { limit: 100 })
        const one = items[below(items.length)]
        if (one !== undefined && choice < 0.97) await documents.delete(own, one.id)
        else if (one !== undefined) await documents.requeue(own, one.id)
      }
    },
    async sum(ownerId: string): Promise<Usage> {
      const { items } = await documents.list(new Set([projectOf.get(ownerId)!]), { limit: 1000 })
      return {
        documents: items.length,
        bytes: items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        passages: items.reduce((sum, { id }) => sum + (passages.get(id) ?? 0), 0),
      }
    },
  }
}
