import type { ProjectIds } from '../../src/records/projects.ts'
import { NO_QUOTAS } from '../../src/records/quotas.ts'
import type { Records } from '../../src/records/records.ts'
import type { QueuedDocument } from '../../src/records/queue.ts'
import type { Postgres } from '../../src/records/sql/postgres/open.ts'
import { PARSED } from '../conformance/records/fixtures.ts'
import { seeded } from './seeded.ts'

const NAMES = 6
const WORDS = ['rent rent', 'lease leases', 'bee bees']
const FOLDERS = ['', 'a/', 'b/', 'a/b/']

/** Statements that change many rows at once, and that docsearch itself never runs. They don't change the vocabularies. */
export const LARGE_STATEMENTS = [
  `update documents set size_bytes = size_bytes + 1, passages = passages + 1,
    status = case when random() < 0.5 then status else 'failed' end where random() < 0.5`,
  `update documents set project_id = other.id, owner_id = other.owner_id, path = 'moved/' || documents.id || random()
    from (select id, owner_id from projects order by random() limit 1) as other where random() < 0.5`,
  `delete from documents where random() < 0.3 and parent_id is null`,
  `delete from documents where false`,
  `insert into documents select (jsonb_populate_record(documents, jsonb_build_object('id', id || n, 'path', path || random()))).*
      from documents, generate_series(0, 1) as n where random() < 0.3
    on conflict (id) do update set size_bytes = excluded.size_bytes + 3, status = 'queued'`,
  `update projects set owner_id = (select id from users order by random() limit 1) where random() < 0.5`,
]

/** Makes random changes to documents, projects and users. */
export class RandomChanges {
  readonly #records: Records
  readonly #random: () => number
  readonly #users: string[] = []
  #projects: ProjectIds = new Set()

  constructor(records: Records, seed: number) {
    this.#records = records
    this.#random = seeded(seed)
  }

  async begin(): Promise<void> {
    this.#users.push((await this.#records.users.create({ name: 'Owner', email: null, role: 'owner' })).id)
    for (let i = 0; i < 3; i++) await this.#addUser()
    for (let i = 0; i < 4; i++) await this.#addProject()
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  /** Makes one of the changes that processes make at the same time. Rejects if it conflicts with another change. */
  async change({ records, coordination }: Postgres): Promise<unknown> {
    const kind = this.below(14)
    if (kind < 5) return this.#upload(records)
    if (kind < 10) return this.#work({ records, coordination })
    if (kind < 12) return this.#changeDocument(records)
    return kind === 12 ? this.#changeTrash(records) : this.#changeQueue(records)
  }

  async deleteProject(): Promise<void> {
    await this.#records.projects.delete(this.#pick([...this.#projects]))
    await this.#addProject()
  }

  async deleteUser(): Promise<void> {
    const [gone] = this.#users.splice(1 + this.below(this.#users.length - 1), 1)
    await this.#records.users.delete(gone!)
    await this.#addUser()
    await this.#addProject()
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!
  }

  async #addUser(): Promise<void> {
    this.#users.push((await this.#records.users.create({ name: 'Member', email: null, role: 'member' })).id)
  }

  async #addProject(): Promise<void> {
    const [owner] = this.#users
    const name = `${this.#random()}`
    const { id } = await this.#records.projects.create({ ownerId: this.#pick(this.#users), name, description: '' })
    await this.#records.members.set(id, owner!, 'manager')
    this.#projects = new Set((await this.#records.members.visibleTo(owner!)).projects.map((project) => project.id))
  }

  #path(): string {
    return `${this.#pick(FOLDERS)}${this.below(NAMES)}.eml`
  }

  #bytes(mediaType: string) {
    return { mediaType, sizeBytes: 1 + this.below(99), sha256: this.#pick(['a', 'b', 'c']).repeat(64) }
  }

  async #upload({ documents }: Records): Promise<void> {
    const [path, projectId] = [this.#path(), this.#pick([...this.#projects])]
    const file = { uploaderId: this.#users[0]!, projectId, name: path, path, ...this.#bytes('message/rfc822'), tags: null }
    const isKept = this.below(2) === 0
    await documents.register(file, this.#pick(['replace', 'keep'] as const), NO_QUOTAS, { isKept })
  }

  async #work(process: Pick<Postgres, 'records' | 'coordination'>): Promise<void> {
    const { records, coordination } = process
    const jobs = await (this.below(3) === 0 ? coordination.queue.takeOver(3) : records.queue.claim(1 + this.below(4)))
    for (const job of jobs) await this.#workOn(job, process)
  }

  async #workOn(job: QueuedDocument, { records, coordination }: Pick<Postgres, 'records' | 'coordination'>): Promise<void> {
    const { queue } = records
    const attachments = Array.from({ length: this.below(4) }, (_, i) => ({
      name: `${i}.txt`,
      page: 1,
      ...this.#bytes('text/plain'),
    }))
    const parsed = { ...PARSED, attachments }
    const end = this.below(6)
    if (end === 0) return void (await coordination.queue.handOver(job, parsed))
    if (end === 1) return queue.release(job, { countAttempt: this.below(2) === 0 })
    if (end === 2) return queue.fail(job, { code: 'encrypted', message: 'No.' })
    await queue.savePages(job, parsed)
    const chunkCount = this.below(5)
    await queue.beginIndexing([{ ...job, passages: chunkCount }])
    const words = JSON.stringify([this.#pick(WORDS)])
    const finished = { job, chunkCount, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [], words }
    if (end > 3) await queue.finish([finished])
  }

  async #changeDocument({ documents, queue }: Records): Promise<void> {
    const { items } = await documents.list(this.#projects, { limit: 100 })
    const { id } = this.#pick(items) ?? {}
    if (id === undefined) return
    const kind = this.below(4)
    if (kind === 0) await documents.edit(this.#projects, id, { path: this.#path() }, null)
    if (kind === 1) await documents.edit(this.#projects, id, { projectId: this.#pick([...this.#projects]) }, null)
    if (kind === 2) await documents.delete(this.#projects, id, { isKept: this.below(3) > 0 })
    if (kind === 3) await queue.requeueMany([id])
  }

  async #changeTrash({ trash }: Records): Promise<void> {
    const { items } = await trash.list(this.#projects, { limit: 100 })
    const { id } = this.#pick(items) ?? {}
    if (id === undefined) return
    const kind = this.below(5)
    if (kind < 3) await trash.restore(this.#projects, id)
    if (kind === 3) await trash.delete(this.#projects, id)
    if (kind === 4) await trash.purge(new Date(Date.now() + 3_600_000), 3)
  }

  async #changeQueue({ queue }: Records): Promise<unknown> {
    return this.#pick([() => queue.requeueAll(), () => queue.requeueLost([]), () => queue.recover()])()
  }
}
