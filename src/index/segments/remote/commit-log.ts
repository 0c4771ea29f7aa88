import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import pLimit from 'p-limit'
import { z } from 'zod'
import { DocsearchError, isDocsearchError } from '../../../core/errors.ts'
import { jsonOrNull } from '../../../core/json-or-null.ts'
import type { ObjectStore } from '../../../objects/object-store.ts'
import { corrupt } from '../failures.ts'
import type { WriterLease } from '../store/shares.ts'

/** Every entry whose number is a multiple of this is a checkpoint. */
const CHECKPOINT_EVERY = 64
/** How many entries before the last checkpoint to keep, for readers that are a little behind. */
const KEPT_ENTRIES = 64
const DIGITS = 16
/** How many entries to read at the same time. */
const AT_ONCE = 16

/**
 * The commits to an index in an object store: one object for each commit, with consecutive numbers, which no writer can replace. The last entry for a
 * project has its manifest.
 *
 * A writer begins with an entry of its own fence. A writer with an earlier fence does not know this entry, so the number of its next commit is
 * already taken. However long that writer was frozen, it can't commit any more.
 */
export class CommitLog {
  readonly #store: ObjectStore
  readonly #folder: string
  readonly #manifests = new Map<string, string>()
  #last: Pick<LogEntry, 'number' | 'fence'> = { number: 0, fence: 0 }
  /** The manifests from before failed commits, which may have taken effect nevertheless. */
  readonly #uncertain = new Map<string, string | null>()
  /** The projects whose manifests differ from those that the caller knows. */
  readonly #changed = new Set<string>()
  readonly #inTurn = pLimit(1)
  /** The commits that wait for the previous commit. */
  #gathering: { gathered: Map<string, string | null>; done: Promise<void> } | null = null
  /** Greater than 0 once this process has taken the log over. */
  #fence = 0

  private constructor(store: ObjectStore, indexId: string) {
    this.#store = store
    this.#folder = `segments/${indexId}/log/`
  }

  static async open(store: ObjectStore, indexId: string): Promise<CommitLog> {
    const log = new CommitLog(store, indexId)
    await log.#restart()
    return log
  }

  /** The number of the last commit that this process knows. */
  get version(): number {
    return this.#last.number
  }

  /** The manifest of each project that has segments. */
  get manifests(): ReadonlyMap<string, string> {
    return this.#manifests
  }

  /**
   * Reads the commits of other processes. Returns the projects that have changed since the last call of this method or `takeOver`. Reverts failed
   * commits of this process, unless there is a later writer. In that case, failed commits that took effect stay.
   */
  follow(): Promise<ReadonlySet<string>> {
    return this.#inTurn(async () => {
      await this.#follow()
      if (this.#uncertain.size > 0) await this.#settle()
      return this.#takeChanged()
    })
  }

  /**
   * Makes this process the writer. From then on, earlier writers can't commit. Returns the same projects as `follow`. Throws `writer_replaced`
   * when there already is a later writer.
   */
  takeOver({ fence }: WriterLease): Promise<ReadonlySet<string>> {
    return this.#inTurn(async () => {
      do {
        await this.#follow()
        if (this.#last.fence >= fence) throw replaced()
      } while (!(await this.#create(fence, new Map())))
      this.#fence = fence
      // This entry comes after every commit of an earlier lease that can still take effect.
      this.#acceptUncertain()
      return this.#takeChanged()
    })
  }

  /**
   * Adds a commit: all its manifests take effect, or none. Every file that they name has to be stored before. While one commit is being written,
   * later commits are combined into one entry. Throws `writer_replaced` when another process has taken over. After this and any other error, readers
   * may see the commit. If this process can commit again, its next commit reverts the failed one.
   */
  append(manifests: Manifests): Promise<void> {
    if (this.#gathering === null) {
      const gathered = new Map<string, string | null>()
      const done = this.#inTurn(() => {
        this.#gathering = null
        return this.#append(gathered)
      })
      this.#gathering = { gathered, done }
    }
    for (const [projectId, manifest] of manifests) this.#gathering.gathered.set(projectId, manifest)
    return this.#gathering.done
  }

  /** Deletes entries that no reader needs any more. */
  async trim(): Promise<void> {
    const first = checkpointBefore(this.version) - KEPT_ENTRIES
    for await (const { key } of this.#store.list(this.#folder)) {
      const number = this.#numberOf(key)
      if (number === null || number >= first) return
      await this.#store.delete(key)
    }
  }

  async #append(manifests: Manifests): Promise<void> {
    if (this.#fence === 0) throw new Error('append needs takeOver')
    for (;;) {
      // This process knows a later writer's entry as soon as it has followed the log, and then the next number is free.
      if (this.#last.fence !== this.#fence) throw replaced()
      const changes = new Map([...this.#uncertain, ...manifests])
      try {
        if (await this.#create(this.#fence, changes)) break
      } catch (error) {
        for (const projectId of manifests.keys())
          if (!this.#uncertain.has(projectId)) this.#uncertain.set(projectId, this.#manifests.get(projectId) ?? null)
        throw error
      }
      // The number is taken: by a later writer, or by a failed commit of this one.
      await this.#follow()
    }
    this.#uncertain.clear()
  }

  /** Reverts the failed commits of this process, if it is still the writer. */
  async #settle(): Promise<void> {
    try {
      await this.#append(new Map())
    } catch (error) {
      if (!isDocsearchError(error, 'writer_replaced')) throw error
      this.#acceptUncertain()
    }
  }

  /** Call this only when no failed commit can take effect any more, and this process has read those that have. */
  #acceptUncertain(): void {
    for (const projectId of this.#uncertain.keys()) this.#changed.add(projectId)
    this.#uncertain.clear()
  }

  #takeChanged(): ReadonlySet<string> {
    const changed = new Set(this.#changed)
    this.#changed.clear()
    return changed
  }

  async #follow(): Promise<void> {
    const numbers = await this.#numbers(this.version)
    if (numbers.length === 0) return
    // The store may no longer have entries that this process has not read.
    const entries = numbers.at(-1) === this.version + numbers.length ? await this.#readAll(numbers) : null
    const changed = entries === null ? await this.#restart() : entries.flatMap((entry) => this.#apply(entry))
    for (const projectId of changed) this.#changed.add(projectId)
  }

  /** Returns false if the next number is taken. */
  async #create(fence: number, changes: Manifests): Promise<boolean> {
    const number = this.version + 1
    const isCheckpoint = number % CHECKPOINT_EVERY === 0
    const manifests = isCheckpoint ? withChanges(this.#manifests, changes) : changes
    const entry: LogEntry = { number, fence, writer: randomUUID(), isCheckpoint, manifests }
    if (!(await this.#store.create(this.#keyOf(number), formatEntry(entry)))) return false
    // The number may be free because the entry of a later writer has been deleted long ago.
    if ((await this.#numbers(number)).length > 0) return false
    this.#apply(entry)
    return true
  }

  /** Reads the last checkpoint and the entries after it. Returns all projects that have, or had, segments. */
  async #restart(): Promise<Iterable<string>> {
    for (let lastBefore = -1; ;) {
      const last = (await this.#numbers(0)).at(-1) ?? 0
      // Other processes may have deleted these entries while this process was reading. Otherwise, the entries are lost.
      if (last === lastBefore)
        throw corrupt('Commits of the search index are missing. The index must be rebuilt from the documents.')
      lastBefore = last
      const first = Math.max(1, checkpointBefore(last))
      const entries = await this.#readAll(Array.from({ length: last - first + 1 }, (_, i) => first + i))
      if (entries === null) continue
      const before = [...this.#manifests.keys()]
      this.#manifests.clear()
      this.#last = { number: 0, fence: 0 }
      for (const entry of entries) this.#apply(entry)
      return new Set([...before, ...this.#manifests.keys()])
    }
  }

  /** Returns the projects that have changed. */
  #apply({ number, fence, isCheckpoint, manifests }: LogEntry): string[] {
    const gone = isCheckpoint ? [...this.#manifests.keys()].filter((projectId) => !manifests.has(projectId)) : []
    for (const projectId of gone) this.#manifests.delete(projectId)
    const changed = [...manifests].filter(([projectId, manifest]) => (this.#manifests.get(projectId) ?? null) !== manifest)
    for (const [projectId, manifest] of changed)
      if (manifest === null) this.#manifests.delete(projectId)
      else this.#manifests.set(projectId, manifest)
    this.#last = { number, fence }
    return [...gone, ...changed.map(([projectId]) => projectId)]
  }

  /** Returns null if one is missing. */
  async #readAll(numbers: readonly number[]): Promise<LogEntry[] | null> {
    const entries: LogEntry[] = []
    for (let at = 0; at < numbers.length; at += AT_ONCE) {
      const read = await Promise.all(numbers.slice(at, at + AT_ONCE).map((number) => this.#read(number)))
      for (const entry of read) {
        if (entry === null) return null
        entries.push(entry)
      }
    }
    return entries
  }

  async #read(number: number): Promise<LogEntry | null> {
    const found = await this.#store.read(this.#keyOf(number))
    return found && parseEntry(await buffer(found.stream), number)
  }

  /** Returns the numbers of the entries after one, in order. */
  async #numbers(after: number): Promise<number[]> {
    const numbers: number[] = []
    for await (const { key } of this.#store.list(this.#folder, this.#keyOf(after))) {
      const number = this.#numberOf(key)
      if (number !== null) numbers.push(number)
    }
    return numbers
  }

  #keyOf(number: number): string {
    return `${this.#folder}${String(number).padStart(DIGITS, '0')}`
  }

  #numberOf(key: string): number | null {
    const number = key.slice(this.#folder.length)
    return number.length === DIGITS && /^\d+$/.test(number) ? Number(number) : null
  }
}

function checkpointBefore(number: number): number {
  return number - (number % CHECKPOINT_EVERY)
}

function withChanges(manifests: ReadonlyMap<string, string>, changes: Manifests): Manifests {
  return new Map([...manifests, ...changes].filter(([projectId]) => changes.get(projectId) !== null))
}

function replaced(): DocsearchError {
  return new DocsearchError('writer_replaced', 'Another process writes this index now.')
}

/** When the meaning of entries changes, raise this and `INDEX_LAYOUT_VERSION`: processes of two versions may read one index. */
const FORMAT_VERSION = 1

/** The manifests of projects. Null for a project that has no segments any more. */
type Manifests = ReadonlyMap<string, string | null>

/** A commit to an index. */
interface LogEntry {
  number: number
  /** The fence of the writer. It never falls from one entry to the next. */
  fence: number
  /** Names this attempt to write the entry among all others. */
  writer: string
  /** A checkpoint has the manifests of all projects, so readers need no earlier entries. Other entries have only the manifests that changed. */
  isCheckpoint: boolean
  manifests: Manifests
}

const ENTRY = z.strictObject({
  format_version: z.literal(FORMAT_VERSION),
  number: z.int().positive(),
  fence: z.int().nonnegative(),
  writer: z.string(),
  is_checkpoint: z.boolean(),
  manifests: z.array(z.tuple([z.string(), z.string().nullable()])),
  checksum: z.int(),
})

function formatEntry({ number, fence, writer, isCheckpoint, manifests }: LogEntry): Buffer {
  const content = {
    format_version: FORMAT_VERSION,
    number,
    fence,
    writer,
    is_checkpoint: isCheckpoint,
    manifests: [...manifests],
  }
  return Buffer.from(`${JSON.stringify({ ...content, checksum: crc32(JSON.stringify(content)) })}\n`)
}

/** Throws `index_corrupt` unless `formatEntry` wrote the bytes for this number. */
export function parseEntry(bytes: Buffer, number: number): LogEntry {
  const { success, data } = ENTRY.safeParse(jsonOrNull(bytes.toString()))
  if (!success) throw damaged(number, 'is damaged or has another format')
  const { checksum, ...content } = data
  if (checksum !== crc32(JSON.stringify(content))) throw damaged(number, 'is damaged')
  if (content.number !== number) throw damaged(number, 'has another number')
  const { fence, writer, is_checkpoint: isCheckpoint, manifests } = content
  return { number, fence, writer, isCheckpoint, manifests: new Map(manifests) }
}

function damaged(number: number, how: string) {
  return corrupt(`Commit ${number} of the search index ${how}. The index must be rebuilt from the documents.`)
}
