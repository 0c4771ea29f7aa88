import type { DocsearchError } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { DocumentWarning } from '../core/model.ts'
import type { Retries } from '../core/retries.ts'
import type { Telemetry } from '../core/telemetry.ts'
import type { IndexedPassage } from '../core/passage.ts'
import type { DocumentPassages } from '../index/passage-index.ts'
import { isDamaged } from '../index/segments/failures.ts'
import type { OpenIndex } from '../lifecycle/lifecycle.ts'
import type { JobRef } from '../records/queue.ts'
import type { IngestOptions } from './context.ts'

/** A document whose passages are ready for the index. */
export interface Finished {
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

export interface CommitParts extends Pick<IngestOptions, 'records' | 'lifecycle' | 'quotas' | 'log'> {
  telemetry: Telemetry
  retries: Retries
  onCommit: () => void
}

/**
 * Writes the passages of these documents in one commit, then sets the documents to ready. Ignores documents that are no longer
 * wanted. Returns the documents that would exceed a quota, each with its error, and writes nothing of them.
 */
export async function commitDocuments(batch: readonly Finished[], parts: CommitParts): Promise<Map<Finished, DocsearchError>> {
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
