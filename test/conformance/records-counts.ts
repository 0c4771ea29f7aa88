import { describe, expect, test } from 'vitest'
import type { DocumentRecord, ProjectCounts } from '../../src/core/model.ts'
import type { Records } from '../../src/records/records.ts'
import { seeded } from '../support/seeded.ts'
import { testClock } from '../support/test-clock.ts'
import type { RecordsUnderTest } from './records.ts'
import { errorCode } from '../support/codes.ts'

const STEPS = 200
const HEALTH = { pages: 1, pagesWithText: 1, pagesWithoutText: 0, chunksSkipped: 0 }
const INDEX = { fingerprint: 'b', embeddingModel: 'builtin', dimensions: 4 }

/** Counts are kept beside the documents: whatever is done to these, the numbers are those of a count. */
export function countsConformance({ open }: RecordsUnderTest): void {
  describe('counts', () => {
    test.each([1, 2])('are those of the documents after each of many changes (seed %i)', async (seed) => {
      const records = await open(testClock())
      const world = await createWorld(records, seeded(seed))
      for (let step = 0; step < STEPS; step++) {
        const done = await world.change()
        await expectCounted(records, world.owners, `${step}: ${done}`)
      }
    })
  })
}

/** Two owners with projects, and a change at a time. */
async function createWorld(records: Records, random: () => number) {
  const { documents, queue, projects, indexes } = records
  const below = (end: number) => Math.floor(random() * end)
  const oneOf = <T>(items: readonly T[]): T | undefined => items[below(items.length)]
  const owners: string[] = []
  for (const role of ['owner', 'member'] as const) owners.push((await records.users.create({ name: role, email: null, role })).id)
  await indexes.activate(INDEX)

  const document = async (ownerId: string) => oneOf((await documents.list(ownerId, { limit: 1000 })).items)
  const project = async (ownerId: string) => {
    const there = (await projects.list(ownerId, { limit: 100 })).items
    if (there.length < 3 || random() < 0.05) return projects.create({ ownerId, name: `p${below(1e9)}`, description: '' })
    return oneOf(there)!
  }
  const claimed = async () => (await queue.claim(1))[0]

  const changes: Record<string, (ownerId: string) => Promise<unknown>> = {
    async upload(ownerId) {
      const file = {
        ownerId,
        projectId: (await project(ownerId)).id,
        name: 'a',
        path: `a${below(8)}.txt`,
        mediaType: 'text/plain',
        sizeBytes: below(1000),
        sha256: 'abc'[below(3)]!.repeat(64),
        tags: random() < 0.5 ? null : [`t${below(2)}`],
      }
      await documents.register(file, random() < 0.8 ? 'replace' : 'keep')
    },
    async finish() {
      const job = await claimed()
      if (job === undefined) return
      await queue.savePages(job, { pages: [], title: null, pageCount: 1, warnings: [], health: HEALTH, facts: {} })
      await queue.beginIndexing([job])
      const result = { job, chunkCount: below(4), chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }
      await queue.finish([result, result])
    },
    async fail() {
      const job = await claimed()
      if (job !== undefined) await queue.fail(job, { code: errorCode('corrupt'), message: 'broken' })
    },
    async release() {
      const job = await claimed()
      if (job !== undefined) await queue.release(job, { notBefore: new Date(0), countAttempt: false })
    },
    claim: () => queue.claim(below(4)),
    recover: () => queue.recover(),
    async requeue(ownerId) {
      const one = await document(ownerId)
      if (one !== undefined) await documents.requeue(ownerId, one.id)
    },
    async requeueMany(ownerId) {
      const one = await document(ownerId)
      if (one !== undefined) await queue.requeueMany([one.id])
    },
    async delete(ownerId) {
      const one = await document(ownerId)
      if (one !== undefined) await documents.delete(ownerId, one.id)
    },
    async switchTo() {
      const { id } = await indexes.build({ ...INDEX, fingerprint: 'o', embeddingModel: 'other' })
      const missing = await indexes.missing(id, { after: '', limit: 1000 })
      const entries = missing.map((one) => ({ documentId: one.id, version: one.version, chunksSkipped: 0, warnings: [] }))
      await indexes.record(
        id,
        entries.map((entry) => ({ ...entry, chunks: random() < 0.2 ? null : below(5) })),
      )
      expect(await indexes.switchTo(id, { waitForReplaced: false })).toBe(true)
    },
  }
  const rare: typeof changes = {
    requeueAll: () => queue.requeueAll(),
    deleteProject: async (ownerId) => projects.delete(ownerId, (await project(ownerId)).id),
    async deleteUser() {
      await records.users.delete(owners[1]!)
      owners[1] = (await records.users.create({ name: 'member', email: null, role: 'member' })).id
    },
  }
  const often = ['upload', 'upload', 'upload', 'finish', 'finish', 'finish']

  return {
    owners,
    /** The name of what was done. */
    async change(): Promise<string> {
      const from = random() < 0.05 ? rare : changes
      const name = oneOf([...Object.keys(from), ...(from === changes ? often : [])])!
      await from[name]!(oneOf(owners)!)
      return name
    },
  }
}

async function expectCounted(records: Records, owners: readonly string[], after: string): Promise<void> {
  const all: DocumentRecord[] = []
  for (const ownerId of owners) {
    const own = (await records.documents.list(ownerId, { limit: 1000 })).items
    all.push(...own)
    const there = (await records.projects.list(ownerId, { limit: 1000 })).items
    for (const { id, counts } of there) {
      const inProject = own.filter((document) => document.projectId === id)
      expect(counts, after).toEqual(countsOf(inProject))
      expect(await records.documents.countPending(ownerId, [id]), after).toBe(pendingOf(inProject))
    }
    expect(await records.documents.countPending(ownerId), after).toBe(pendingOf(own))
  }
  expect(await records.queue.counts(), after).toEqual(countsOf(all).statuses)
}

function countsOf(documents: readonly DocumentRecord[]): ProjectCounts {
  const counts = { documents: documents.length, chunks: 0, bytes: 0, statuses: { queued: 0, processing: 0, ready: 0, failed: 0 } }
  for (const { chunkCount, sizeBytes, status } of documents) {
    counts.chunks += chunkCount ?? 0
    counts.bytes += sizeBytes
    counts.statuses[status] += 1
  }
  return counts
}

function pendingOf(documents: readonly DocumentRecord[]): number {
  return documents.filter(({ status }) => status === 'queued' || status === 'processing').length
}
