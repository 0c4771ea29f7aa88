import { setTimeout as sleep } from 'node:timers/promises'
import { isDocsearchError, type ErrorCode } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { DocumentRecord } from '../core/model.ts'
import type { OpenIndex } from '../lifecycle/lifecycle.ts'
import type { DocumentChunks, IndexedChunk } from '../index/chunk-index.ts'
import type { IndexedDocument } from '../records/records.ts'
import { createBatcher } from './batcher.ts'
import type { IngestOptions } from './context.ts'
import { IndexChanged } from '../lifecycle/while-current.ts'
import { createPassages } from './passages.ts'
import { createPatience } from './patience.ts'
import type { PrepareThreads } from './prepare/threads.ts'
import { agree } from './recovery.ts'
import type { IndexWriter } from './writer.ts'

/** Documents looked at together, and the passages after which they are committed together. */
const DOCUMENTS_AT_ONCE = 32
const CHUNKS_AT_ONCE = 256
/** In a long run the index is tended in between, or each commit would cost more than the one before. */
const CHUNKS_BETWEEN = 20_000
/** Nothing is missing, and the switch waits for uploads under way. */
const LOOK_AGAIN_MS = 500
const AFTER_FAILURE_MS = 10_000

export interface Builder {
  start(): void
  stop(): Promise<void>
  /** Why it stands still; null when it does not. */
  reason(): string | null
}

/**
 * Fills the index that is built beside the one in use, and says when it is whole. What is left to do is never written down: it is what the records
 * have ready and this index has not, so a crash at any point, an upload, a replacement or a deletion needs nothing of its own.
 */
export function createBuilder(
  { records, lifecycle, log }: IngestOptions,
  parts: { threads: PrepareThreads; writer: IndexWriter; waits: () => boolean },
): Builder {
  const { indexes } = records
  const { threads, writer } = parts
  const stopping = new AbortController()
  // Of its own: an Ollama that is away holds up the change and not the uploads.
  const patience = createPatience(log, stopping.signal)
  const passages = createPassages({ threads, batcher: createBatcher(patience) })
  let failure: string | null = null
  let running: Promise<void> = Promise.resolve()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const target = lifecycle.building()
      if (target === null) {
        await changeOf(() => lifecycle.building() !== null)
        continue
      }
      const gone = new AbortController()
      const unsubscribe = lifecycle.onChange(() => {
        if (lifecycle.building()?.record.id !== target.record.id) gone.abort(new IndexChanged())
      })
      const signal = AbortSignal.any([stopping.signal, gone.signal])
      try {
        await build(target, signal)
        failure = null
      } catch (error) {
        if (!signal.aborted) await recoverFrom(error, target, signal)
      } finally {
        unsubscribe()
      }
    }
  }

  async function recoverFrom(error: unknown, target: OpenIndex, signal: AbortSignal): Promise<void> {
    const isDamaged =
      isDocsearchError(error, 'index_corrupt') || (isDocsearchError(error, 'index_failed') && !(await target.index.check()).ok)
    if (isDamaged) return lifecycle.restartBuilding('its files were damaged')
    log.error(
      { err: error, embedder: target.embedder.name },
      'the index of another embedder could not be built on; it is tried again',
    )
    failure = isDocsearchError(error) ? error.message : 'docsearch made a mistake; its log says which.'
    await pause(AFTER_FAILURE_MS, signal)
  }

  async function build(target: OpenIndex, signal: AbortSignal): Promise<void> {
    const { id } = target.record
    killPoint('build')
    const mayHold = await writer.exclusive(() => agree(records, target))
    let untended = 0
    for (;;) {
      let found = 0
      for (let after = ''; ;) {
        const documents = await patience.try(() => indexes.missing(id, { after, limit: DOCUMENTS_AT_ONCE }))
        signal.throwIfAborted()
        if (documents.length === 0) break
        for (const group of groupsOf(documents)) untended += await index(group, target, mayHold, signal)
        if (untended >= CHUNKS_BETWEEN) {
          await target.index.optimize()
          untended = 0
        }
        found += documents.length
        after = documents.at(-1)!.id
      }
      if (found > 0) continue
      // Before and not after: the first searches are to be as fast as the last ones of the old index.
      if (untended > 0) await patience.try(() => target.index.optimize())
      untended = 0
      killPoint('whole')
      if (await writer.exclusive(() => lifecycle.switchOver({ waitForReplaced: !parts.waits() }))) return
      await pause(LOOK_AGAIN_MS, signal)
    }
  }

  /** These documents as one commit. Number of passages. */
  async function index(
    documents: readonly DocumentRecord[],
    target: OpenIndex,
    mayHold: Set<string>,
    signal: AbortSignal,
  ): Promise<number> {
    const made = await Promise.all(documents.map((document) => embed(document, target, signal)))
    signal.throwIfAborted()
    await writer.exclusive(async () => {
      // A deletion from here on waits for its turn and finds them in the index.
      const wanted = await patience.try(() => indexes.wanted(made.map(({ entry }) => entry)))
      const current = made.filter(({ entry }) => wanted.has(entry.documentId))
      const put = current.flatMap(({ chunks, entry: { documentId } }) => (chunks === null ? [] : [{ documentId, chunks }]))
      await patience.try(
        () => {
          const documents: DocumentChunks[] = put.map((one) => ({ ...one, isNew: !mayHold.has(one.documentId) }))
          for (const { documentId } of put) mayHold.add(documentId)
          return target.index.put(documents)
        },
        () => signal.aborted,
      )
      killPoint('build-index')
      await patience.try(() =>
        indexes.record(
          target.record.id,
          current.map(({ entry }) => entry),
        ),
      )
      killPoint('build-done')
    })
    return made.reduce((sum, { chunks }) => sum + (chunks?.length ?? 0), 0)
  }

  async function embed(document: DocumentRecord, { embedder }: OpenIndex, signal: AbortSignal): Promise<Made> {
    try {
      const pages = await records.documents.pages(document.ownerId, document.id)
      // Deleted meanwhile, or in need of being read anew.
      if (pages === null) return { chunks: null, entry: setAside(document) }
      const { title, tags } = document
      const { chunks, chunksSkipped, warnings } = await passages(document, { title, tags, pages }, embedder, signal)
      return { chunks, entry: { ...refOf(document), chunks: chunks.length, chunksSkipped, warnings } }
    } catch (error) {
      signal.throwIfAborted()
      // What concerns every document ends the run.
      if (!isDocsearchError(error) || !OF_ONE_DOCUMENT.has(error.code)) throw error
      log.warn({ err: error, document: document.id }, 'a document could not be embedded anew; it is set aside')
      return { chunks: null, entry: setAside(document) }
    }
  }

  /** Resolves once `holds`, looked at after each change of the lifecycle; rejects when the daemon stops. */
  function changeOf(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = () => {
        unsubscribe()
        stopping.signal.removeEventListener('abort', stop)
      }
      const stop = () => {
        done()
        reject(stopping.signal.reason as Error)
      }
      const look = () => {
        if (!holds()) return
        done()
        resolve()
      }
      const unsubscribe = lifecycle.onChange(look)
      stopping.signal.addEventListener('abort', stop)
      look()
    })
  }

  return {
    start() {
      running = run().catch((error: unknown) => {
        if (!stopping.signal.aborted)
          log.error({ err: error }, 'the index of another embedder is not built on until the next start')
      })
    },
    async stop() {
      stopping.abort(new Error('the daemon is stopping'))
      await running
    },
    reason: () => patience.reason() ?? failure,
  }
}

/** Failures that another document need not share. */
const OF_ONE_DOCUMENT = new Set<ErrorCode>(['out_of_memory', 'internal_error'])

interface Made {
  chunks: IndexedChunk[] | null
  entry: IndexedDocument
}

const refOf = ({ id, version }: DocumentRecord) => ({ documentId: id, version })

const setAside = (document: DocumentRecord): IndexedDocument => ({
  ...refOf(document),
  chunks: null,
  chunksSkipped: 0,
  warnings: [],
})

function* groupsOf(documents: readonly DocumentRecord[]): Generator<DocumentRecord[]> {
  let group: DocumentRecord[] = []
  let chunks = 0
  for (const document of documents) {
    const more = document.chunkCount ?? 0
    if (group.length > 0 && chunks + more > CHUNKS_AT_ONCE) {
      yield group
      group = []
      chunks = 0
    }
    group.push(document)
    chunks += more
  }
  if (group.length > 0) yield group
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    // Aborted while waiting: whoever waits looks at the signal.
  })
}
