import { describe, expect } from 'vitest'
import type { QueuedDocument } from '../../../src/records/queue.ts'
import type { Records } from '../../../src/records/records.ts'
import { errorCode } from '../../support/codes.ts'
import { seeded } from '../../support/seeded.ts'
import type { DocumentsTest } from './fixtures.ts'

export function turnsConformance(test: DocumentsTest): void {
  describe('turns in the queue', () => {
    const inTurns = test
      .extend('bobsProject', async ({ records, bob }) => {
        return (await records.projects.create({ ownerId: bob, name: 'default', description: '' })).id
      })
      .extend('addMany', ({ add, clock, bob, bobsProject }) => async (...names: string[]) => {
        const ids: Record<string, string> = {}
        for (const name of names) {
          const owner = name.startsWith('b') ? { uploaderId: bob, projectId: bobsProject } : {}
          ids[name] = (await add({ path: name, name, ...owner })).id
          clock.advance(1)
        }
        return ids
      })
      .extend('claimNames', ({ records }) => async (limit: number, except?: string[]) => {
        return (await records.queue.claim(limit, except && { except })).map(({ document }) => document.name)
      })

    inTurns('owners take turns, no matter who has more documents in the queue', async ({ addMany, claimNames }) => {
      await addMany('a1')
      expect(await claimNames(1)).toEqual(['a1'])
      await addMany('a2', 'a3', 'a4', 'a5', 'b1', 'b2')
      expect(await claimNames(3)).toEqual(['b1', 'a2', 'b2'])
      expect(await claimNames(10)).toEqual(['a3', 'a4', 'a5'])
    })

    inTurns('an owner whose last claim is long ago comes next, also after a pause', async ({ addMany, claimNames }) => {
      await addMany('b1')
      expect(await claimNames(1)).toEqual(['b1'])
      await addMany('a1', 'a2', 'a3', 'a4')
      expect(await claimNames(2)).toEqual(['a1', 'a2'])
      await addMany('b2', 'b3')
      expect(await claimNames(4)).toEqual(['b2', 'a3', 'b3', 'a4'])
    })

    inTurns(
      'a document that was tried before comes after the other documents of its owner, but not after documents of other owners',
      async ({ records, addMany, claimNames }) => {
        await addMany('a1')
        expect(await claimNames(1)).toEqual(['a1'])
        await records.queue.recover()
        await addMany('b1', 'a2', 'b2', 'b3')
        expect(await claimNames(5)).toEqual(['b1', 'a2', 'b2', 'a1', 'b3'])
      },
    )

    inTurns('leaves out the documents of owners on request', async ({ alice, bob, addMany, claimNames }) => {
      await addMany('a1', 'b1', 'b2')
      expect(await claimNames(3, [alice])).toEqual(['b1', 'b2'])
      expect(await claimNames(3, [alice, bob])).toEqual([])
      expect(await claimNames(3)).toEqual(['a1'])
    })

    test.for([1, 2, 3])(
      'claims in the order of a simple model, whatever happens in between (seed %i)',
      async (seed, { records, clock }) => {
        const model = new Model(seeded(seed))
        for (let i = 0; i < 5; i++) {
          const { id } = await records.users.create({ name: `${i}`, email: null, role: 'member' })
          model.projects.set(id, (await records.projects.create({ ownerId: id, name: 'p', description: '' })).id)
        }
        for (let step = 0; step < 250; step++) {
          clock.advance(1)
          await model.step(records, clock.now())
        }
        clock.advance(1_000_000)
        await model.claim(records, clock.now(), 1000, [])
      },
    )
  })
}

interface Entry {
  id: string
  owner: string
  attempts: number
  queuedAt: number
  state: 'queued' | 'processing'
  /** From the last claim. */
  job: QueuedDocument | null
}

/** The queue as a list: what is claimed next is found by looking at every document. */
class Model {
  readonly projects = new Map<string, string>()
  readonly #entries: Entry[] = []
  readonly #turns = new Map<string, number>()
  readonly #random: () => number
  #claims = 0
  #paths = 0

  constructor(random: () => number) {
    this.#random = random
  }

  async step(records: Records, now: Date): Promise<void> {
    const roll = this.#random()
    if (roll < 0.4) return this.#add(records, now)
    if (roll < 0.65) return this.claim(records, now, 1 + this.#below(4), this.#random() < 0.3 ? [this.#owner()] : [])
    if (roll < 0.8) return this.#release(records)
    if (roll < 0.9) return this.#end(records)
    if (roll < 0.95) return this.#delete(records)
    await records.queue.recover()
    for (const entry of this.#in('processing')) Object.assign(entry, { state: 'queued' })
  }

  async claim({ queue }: Records, now: Date, limit: number, except: string[]): Promise<void> {
    const expected: Entry[] = []
    for (let next = this.#next(except); next && expected.length < limit; next = this.#next(except)) {
      Object.assign(next, { state: 'processing', attempts: next.attempts + 1 })
      this.#turns.set(next.owner, ++this.#claims)
      expected.push(next)
    }
    const jobs = await queue.claim(limit, { except })
    expect(jobs.map(({ documentId }) => documentId)).toEqual(expected.map(({ id }) => id))
    for (const [i, job] of jobs.entries()) expected[i]!.job = job
  }

  #next(except: string[]): Entry | undefined {
    const turn = ({ owner }: Entry) => this.#turns.get(owner) ?? 0
    return this.#in('queued')
      .filter(({ owner }) => !except.includes(owner))
      .toSorted(
        (a, b) =>
          turn(a) - turn(b) ||
          compare(a.owner, b.owner) ||
          a.attempts - b.attempts ||
          a.queuedAt - b.queuedAt ||
          compare(a.id, b.id),
      )[0]
  }

  async #add({ documents }: Records, now: Date): Promise<void> {
    // Most documents belong to the first owner.
    const owner = this.#random() < 0.6 ? [...this.projects.keys()][0]! : this.#owner()
    const path = `${++this.#paths}`
    const file = { name: path, path, mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64), tags: null }
    const { document } = await documents.register({ uploaderId: owner, projectId: this.projects.get(owner)!, ...file }, 'replace')
    this.#entries.push({
      id: document.id,
      owner,
      attempts: 0,
      queuedAt: now.getTime(),
      state: 'queued',
      job: null,
    })
  }

  async #release({ queue }: Records): Promise<void> {
    const entry = this.#any('processing')
    if (entry === undefined) return
    const countAttempt = this.#random() < 0.5
    await queue.release(entry.job!, { countAttempt })
    Object.assign(entry, { state: 'queued', attempts: entry.attempts - (countAttempt ? 0 : 1) })
  }

  async #end({ queue }: Records): Promise<void> {
    const entry = this.#any('processing')
    if (entry === undefined) return
    await queue.fail(entry.job!, { code: errorCode('corrupt'), message: 'broken' })
    this.#entries.splice(this.#entries.indexOf(entry), 1)
  }

  async #delete({ documents }: Records): Promise<void> {
    const entry = this.#any('queued')
    if (entry === undefined) return
    await documents.delete(new Set([this.projects.get(entry.owner)!]), entry.id)
    this.#entries.splice(this.#entries.indexOf(entry), 1)
  }

  #in(state: Entry['state']): Entry[] {
    return this.#entries.filter((entry) => entry.state === state)
  }

  #any(state: Entry['state']): Entry | undefined {
    const entries = this.#in(state)
    return entries[this.#below(entries.length)]
  }

  #owner(): string {
    return [...this.projects.keys()][this.#below(this.projects.size)]!
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
