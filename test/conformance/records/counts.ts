import { describe, expect } from 'vitest'
import type { DocumentRecord, ProjectCounts } from '../../../src/core/model.ts'
import type { Records } from '../../../src/records/records.ts'
import { seeded } from '../../support/seeded.ts'
import { HEALTH } from './fixtures.ts'
import type { EmptyRecordsTest } from './fixtures.ts'
import { errorCode } from '../../support/codes.ts'
import { visibleTo } from '../../support/visible.ts'

const STEPS = 200
const INDEX = { fingerprint: 'b', embeddingModel: 'builtin', dimensions: 4 }

/** An implementation may store counts instead of counting, so they are compared after many random changes. */
export function countsConformance(test: EmptyRecordsTest): void {
  describe('counts', () => {
    test.for([1, 2])('match the documents after each of many changes (seed %i)', async (seed, { records }) => {
      const world = await createWorld(records, seeded(seed))
      for (let step = 0; step < STEPS; step++) {
        const done = await world.change()
        await expectCounted(records, world.owners, `${step}: ${done}`)
      }
    })
  })
}

/** Two owners with projects, and one random change of them at a time. */
async function createWorld(records: Records, random: () => number) {
  const owners: string[] = []
  for (const role of ['owner', 'member'] as const) owners.push((await records.users.create({ name: role, email: null, role })).id)
  await records.indexes.activate(INDEX)
  const pick = picker(records, random)
  const changes = { ...documentChanges(records, pick), ...queueChanges(records, pick) }
  const rare = rareChanges(records, pick, owners)
  const names = [...Object.keys(changes), 'upload', 'upload', 'upload', 'finish', 'finish', 'finish']

  return {
    owners,
    /** Makes a change. Returns its name. */
    async change(): Promise<string> {
      const isRare = random() < 0.05
      const name = pick.oneOf(isRare ? Object.keys(rare) : names)!
      await (isRare ? rare : changes)[name]!(pick.oneOf(owners)!)
      return name
    },
  }
}

type Changes = Record<string, (ownerId: string) => Promise<unknown>>
type Picker = ReturnType<typeof picker>

/** Random choices. */
function picker({ documents, projects, members }: Records, random: () => number) {
  const below = (end: number) => Math.floor(random() * end)
  const oneOf = <T>(items: readonly T[]): T | undefined => items[below(items.length)]
  return {
    random,
    below,
    oneOf,
    document: async (ownerId: string) =>
      oneOf((await documents.list(await visibleTo({ members }, ownerId), { limit: 1000 })).items),
    async project(ownerId: string) {
      const existing = (await projects.list(await visibleTo({ members }, ownerId), { limit: 100 })).items
      if (existing.length < 3 || random() < 0.05) return projects.create({ ownerId, name: `p${below(1e9)}`, description: '' })
      return oneOf(existing)!
    },
  }
}

function documentChanges({ documents, indexes, queue }: Records, { random, below, document, project }: Picker): Changes {
  return {
    async upload(ownerId) {
      const file = {
        uploaderId: ownerId,
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
    async requeue(ownerId) {
      const one = await document(ownerId)
      if (one !== undefined) await documents.requeue(new Set([one.projectId]), one.id)
    },
    async requeueMany(ownerId) {
      const one = await document(ownerId)
      if (one !== undefined) await queue.requeueMany([one.id])
    },
    async delete(ownerId) {
      const one = await document(ownerId)
      if (one !== undefined) await documents.delete(new Set([one.projectId]), one.id)
    },
    async switchTo() {
      const { id } = await indexes.build({ ...INDEX, fingerprint: 'o', embeddingModel: 'other' })
      const missing = await indexes.missing(id, { after: '', limit: 1000 })
      const entries = missing.map((one) => ({ documentId: one.id, version: one.version, chunksSkipped: 0, warnings: [] }))
      await indexes.record(
        id,
        entries.map((entry) => ({ ...entry, chunks: random() < 0.2 ? null : below(5) })),
      )
      expect(await indexes.switchTo(id, { waitForReplaced: false, parserVersion: 0 })).toBe(true)
    },
  }
}

function queueChanges({ queue }: Records, { below }: Picker): Changes {
  const claimed = async () => (await queue.claim(1))[0]
  return {
    async finish() {
      const job = await claimed()
      if (job === undefined) return
      await queue.savePages(job, { pages: [], title: null, pageCount: 1, warnings: [], health: HEALTH, facts: {} })
      await queue.beginIndexing([{ ...job, passages: 3 }])
      const result = { job, chunkCount: below(4), chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }
      await queue.finish([result, result])
    },
    async fail() {
      const job = await claimed()
      if (job !== undefined) await queue.fail(job, { code: errorCode('corrupt'), message: 'broken' })
    },
    async release() {
      const job = await claimed()
      if (job !== undefined) await queue.release(job, { countAttempt: false })
    },
    claim: () => queue.claim(below(4)),
    recover: () => queue.recover(),
  }
}

function rareChanges({ projects, queue, users }: Records, { project }: Picker, owners: string[]): Changes {
  return {
    requeueAll: () => queue.requeueAll(),
    deleteProject: async (ownerId) => projects.delete((await project(ownerId)).id),
    async deleteUser() {
      await users.delete(owners[1]!)
      owners[1] = (await users.create({ name: 'member', email: null, role: 'member' })).id
    },
  }
}

async function expectCounted(records: Records, owners: readonly string[], after: string): Promise<void> {
  const all: DocumentRecord[] = []
  for (const ownerId of owners) {
    const own = (await records.documents.list(await visibleTo(records, ownerId), { limit: 1000 })).items
    all.push(...own)
    const projects = (await records.projects.list(await visibleTo(records, ownerId), { limit: 1000 })).items
    for (const { id, counts } of projects) {
      const inProject = own.filter((document) => document.projectId === id)
      expect(counts, after).toEqual(countsOf(inProject))
      expect(await records.documents.countPending(new Set([id])), after).toBe(pendingOf(inProject))
    }
    expect(await records.documents.countPending(await visibleTo(records, ownerId)), after).toBe(pendingOf(own))
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
