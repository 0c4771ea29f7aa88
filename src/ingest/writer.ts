import type { DocsearchError } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { DocumentWarning } from '../core/model.ts'
import type { IndexedPassage } from '../core/passage.ts'
import type { Retries } from '../core/retries.ts'
import type { Telemetry } from '../core/telemetry.ts'
import { TurnQueue } from '../core/turns.ts'
import { isDamaged } from '../index/segments/failures.ts'
import type { DocumentPassages } from '../index/passage-index.ts'
import { type OpenIndex, IndexChanged } from '../lifecycle/lifecycle.ts'
import type { JobRef } from '../records/queue.ts'
import type { IngestOptions } from './ingest.ts'
import type { Load } from './load.ts'

/**
 * Documents that end within this time share one commit, because a commit costs about as much as 100 passages. It begins earlier once an owner has
 * no other document in progress, or with one of the numbers below.
 */
const GATHER_MS = 250
/** Fewer than may be in progress (load.ts), so that parsers continue meanwhile. */
const ENOUGH_DOCUMENTS = 16
/** Larger commits hardly cost less for each passage, and requests wait longer for the main thread. */
const ENOUGH_PASSAGES = 500
/** A commit has at most this many passages, unless a single document has more. */
const MAX_PASSAGES_IN_COMMIT = 2_000

export interface WriterParts extends CommitParts {
  load: Pick<Load, 'inProgressOf'>
  /** Runs `work` while nothing else writes to an index. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
}

interface Waiting {
  finished: Finished
  resolve: () => void
  reject: (error: unknown) => void
}

/** Commits the passages of many documents at once, then sets the documents to ready. Owners take turns. */
export class IndexWriter {
  /** `gathering`: documents wait for others, or for their turn to be committed. */
  #state: 'idle' | 'gathering' = 'idle'
  /** Ends the time in which the writer waits for more documents. */
  #stopWaiting: () => void = () => {}
  readonly #waiting = new TurnQueue<Waiting>()
  #waitingPassages = 0
  readonly #parts: WriterParts

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /**
   * Resolves once the passages are committed and the document is ready, or once this version is no longer wanted. Rejects with `IndexChanged` when
   * the passages were made for an index that is no longer active, and with `quota_exceeded` when the passages would exceed a quota.
   */
  write(finished: Finished): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(finished.ownerId, { finished, resolve, reject })
      this.#waitingPassages += finished.passages.length
      if (this.#state === 'idle') void this.#gather()
      if (this.#hasEnough() || this.#hasAllOf(finished.ownerId)) this.#stopWaiting()
    })
  }

  async #gather(): Promise<void> {
    this.#state = 'gathering'
    await this.#waitForMore()
    // Documents that end while another commit is under way join this one.
    await this.#parts.exclusive(async () => {
      this.#state = 'idle'
      while (this.#waiting.length > 0) await this.#commit(this.#takeBatch())
    })
  }

  async #waitForMore(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, GATHER_MS)
    this.#stopWaiting = resolve
    await promise
    clearTimeout(timer)
  }

  #hasEnough(): boolean {
    return this.#waiting.length >= ENOUGH_DOCUMENTS || this.#waitingPassages >= ENOUGH_PASSAGES
  }

  /** True when no document of this owner would join the commit if it began later. */
  #hasAllOf(ownerId: string): boolean {
    return this.#waiting.lengthOf(ownerId) >= this.#parts.load.inProgressOf(ownerId)
  }

  #takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    let passages = 0
    for (let next = this.#waiting.peek(); next; next = this.#waiting.peek()) {
      passages += next.finished.passages.length
      if (batch.length > 0 && passages > MAX_PASSAGES_IN_COMMIT) break
      batch.push(this.#waiting.shift()!)
      this.#waitingPassages -= next.finished.passages.length
    }
    return batch
  }

  /** Never rejects. */
  async #commit(batch: readonly Waiting[]): Promise<void> {
    const { lifecycle } = this.#parts
    const isCurrent = ({ finished }: Waiting) => finished.target === lifecycle.active()
    const current = batch.filter(isCurrent)
    for (const one of batch) if (!current.includes(one)) one.reject(new IndexChanged())
    if (current.length === 0) return
    try {
      const refused = await commitDocuments(
        current.map(({ finished }) => finished),
        this.#parts,
      )
      for (const { finished, resolve, reject } of current) {
        const error = refused.get(finished)
        if (error === undefined) resolve()
        else reject(error)
      }
    } catch (error) {
      if (current.length === 1) return current[0]!.reject(error)
      // Perhaps the index refuses only one of the documents: commit each alone, so that the others are written.
      for (const one of current) await this.#commit([one])
    }
  }
}

/** A document whose passages are ready for the index. */
interface Finished {
  ownerId: string
  mediaType: string
  job: JobRef
  /** The index that the passages were made for. */
  target: OpenIndex
  isNew: boolean
  passages: readonly IndexedPassage[]
  /** `TermAndWord[]` as JSON. */
  words: string
  warnings: readonly DocumentWarning[]
  chunksSkipped: number
}

interface CommitParts extends Pick<IngestOptions, 'records' | 'lifecycle' | 'quotas' | 'log'> {
  telemetry: Telemetry
  retries: Retries
  onCommit: () => void
}

/**
 * Writes the passages of these documents in one commit, then sets the documents to ready. Ignores documents that are no longer
 * wanted. Returns the documents that would exceed a quota, each with its error, and writes nothing of them.
 */
async function commitDocuments(batch: readonly Finished[], parts: CommitParts): Promise<Map<Finished, DocsearchError>> {
  const { records, retries, telemetry, quotas, onCommit } = parts
  const jobs = batch.map(({ job, passages }) => ({ ...job, passages: passages.length }))
  const begun = await retries.run(() => records.queue.beginIndexing(jobs, quotas))
  const errors = new Map(begun.refused.map(({ job, error }) => [keyOf(job), error]))
  const refused = new Map(
    batch.flatMap((finished) => {
      const error = errors.get(keyOf(finished.job))
      return error === undefined ? [] : [[finished, error]]
    }),
  )
  const wanted = new Set(begun.wanted.map(keyOf))
  const documents = batch.filter(({ job }) => wanted.has(keyOf(job)))
  if (documents.length === 0) return refused
  // A commit that fails may still have written passages.
  let hasTried = false
  await retries.run(async () => {
    const put = documents.map(({ job, isNew, passages }) => ({
      documentId: job.documentId,
      isNew: isNew && !hasTried,
      passages,
    }))
    hasTried = true
    await putOrRebuild(documents[0]!.target, put, parts)
  })
  killPoint('index')
  const unwanted = await retries.run(() =>
    records.queue.finish(
      documents.map(({ job, passages, words, chunksSkipped, warnings, target: { embedder } }) => ({
        job,
        chunkCount: passages.length,
        words,
        chunksSkipped,
        embeddingModel: embedder.name,
        warnings,
      })),
    ),
  )
  killPoint('done')
  const late = new Set(unwanted.map(keyOf))
  for (const { job, mediaType, passages } of documents)
    if (!late.has(keyOf(job))) telemetry.note({ type: 'document_ready', mediaType, passages: passages.length })
  onCommit()
  return refused
}

async function putOrRebuild(
  { index }: OpenIndex,
  documents: readonly DocumentPassages[],
  { lifecycle, log }: CommitParts,
): Promise<void> {
  try {
    await index.put(documents)
  } catch (error) {
    if (!(await isDamaged(error, index))) throw error
    log.error({ err: error }, 'the index cannot be written to')
    // This queues every document for the new index, these included.
    await lifecycle.rebuildActive('its files were damaged')
  }
}

const keyOf = ({ documentId, version }: JobRef) => `${documentId}:${version}`
