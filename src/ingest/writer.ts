import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { isDocsearchError } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { DocumentWarning } from '../core/model.ts'
import type { OpenIndex } from '../lifecycle/lifecycle.ts'
import type { IndexedChunk } from '../index/chunk-index.ts'
import type { JobRef } from '../records/records.ts'
import type { IngestOptions } from './context.ts'
import { IndexChanged } from '../lifecycle/while-current.ts'
import type { Patience } from './patience.ts'

/** Documents that end within this time share one commit, unless no other is in work … */
const GATHER_MS = 50
/** … and so do no more chunks than this, unless one document has more. */
const CHUNKS_IN_COMMIT = 2_000

export interface Finished {
  job: JobRef
  target: OpenIndex
  isNew: boolean
  chunks: readonly IndexedChunk[]
  /** See `CountedWord`, as JSON. */
  words: string
  warnings: readonly DocumentWarning[]
  chunksSkipped: number
}

export interface IndexWriter {
  /** Resolves once its chunks are committed and its row says ready, or once nobody wants this version any more. */
  write(finished: Finished): Promise<void>
  /** Runs when nothing is being written, and nothing is written meanwhile. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
}

interface Waiting {
  finished: Finished
  resolve: () => void
  reject: (error: unknown) => void
}

interface WriterParts {
  patience: Patience
  /** Documents in work, those that wait for a commit included. */
  inWork: () => number
  onCommit: (chunks: number) => void
}

/** The one writer of the index: commits the chunks of many documents at once, then says so in their rows. */
export function createIndexWriter(
  { records, lifecycle, log }: IngestOptions,
  { patience, inWork, onCommit }: WriterParts,
): IndexWriter {
  let waiting: Waiting[] = []
  let gathering = false
  const exclusive = pLimit(1)

  async function gather(): Promise<void> {
    gathering = true
    if (waiting.length < inWork()) await sleep(GATHER_MS)
    // What ends while another commit is under way joins this one.
    await exclusive(async () => {
      gathering = false
      while (waiting.length > 0) await commitSome(takeSome())
    })
  }

  function takeSome(): Waiting[] {
    let chunks = 0
    let count = 0
    for (const { finished } of waiting) {
      if (count > 0 && chunks + finished.chunks.length > CHUNKS_IN_COMMIT) break
      chunks += finished.chunks.length
      count += 1
    }
    const some = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return some
  }

  async function commitSome(some: Waiting[]): Promise<void> {
    // Made for an index that is not in use any more.
    const [current, late] = parted(some, ({ finished }) => finished.target === lifecycle.active())
    for (const { reject } of late) reject(new IndexChanged())
    try {
      await commit(current.map((one) => one.finished))
      for (const { resolve } of current) resolve()
    } catch (error) {
      if (current.length === 1) return current[0]!.reject(error)
      // One of them may be what the index will not take: the others do not suffer for it.
      for (const one of current) await commitSome([one])
    }
  }

  async function commit(batch: readonly Finished[]): Promise<void> {
    const wanted = new Set((await patience.try(() => records.queue.beginIndexing(batch.map(({ job }) => job)))).map(keyOf))
    const documents = batch.filter(({ job }) => wanted.has(keyOf(job)))
    if (documents.length === 0) return
    let tried = false
    await patience.try(async () => {
      const put = documents.map(({ job, isNew, chunks }) => ({ documentId: job.documentId, isNew: isNew && !tried, chunks }))
      tried = true
      await putOrRebuild(documents[0]!.target, put)
    })
    killPoint('index')
    await patience.try(() =>
      records.queue.finish(
        documents.map(({ job, chunks, words, chunksSkipped, warnings, target: { embedder } }) => ({
          job,
          chunkCount: chunks.length,
          words,
          chunksSkipped,
          embeddingModel: embedder.name,
          warnings,
        })),
      ),
    )
    killPoint('done')
    onCommit(documents.reduce((sum, { chunks }) => sum + chunks.length, 0))
  }

  async function putOrRebuild({ index }: OpenIndex, documents: Parameters<OpenIndex['index']['put']>[0]): Promise<void> {
    try {
      await index.put(documents)
    } catch (error) {
      const damaged =
        isDocsearchError(error, 'index_corrupt') || (isDocsearchError(error, 'index_failed') && !(await index.check()).ok)
      if (!damaged) throw error
      log.error({ err: error }, 'the index cannot be written to')
      // Everything is queued for the new index, these documents too.
      await lifecycle.rebuildActive('its files were damaged')
    }
  }

  return {
    exclusive,
    write: (finished) =>
      new Promise((resolve, reject) => {
        waiting.push({ finished, resolve, reject })
        if (!gathering) void gather()
      }),
  }
}

function parted<T>(items: readonly T[], holds: (item: T) => boolean): [T[], T[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))]
}

const keyOf = ({ documentId, version }: JobRef) => `${documentId}:${version}`
