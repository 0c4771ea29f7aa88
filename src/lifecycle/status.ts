import type { Embedder } from '../embed/embedder.ts'
import type { IndexState, Lifecycle, OpenIndex } from './lifecycle.ts'

export interface StatusFacts {
  active: OpenIndex | null
  /** Why this embedder was chosen, or why there is none. */
  reason: string
  /** Why the index was rebuilt since the start; null when it was not. */
  rebuiltBecause: string | null
  building: IndexState | null
  /** Passages that the user may see; undefined for the owner of the instance. Null when they can't be counted. */
  ownPassages?: number | null | undefined
}

/** Describes embedder and index for health. */
export async function describeStatus(facts: StatusFacts): ReturnType<Lifecycle['status']> {
  const { active, reason, rebuiltBecause, building, ownPassages } = facts
  if (active === null) {
    const message = `Nothing can be searched yet, because there is no embedder: ${reason}`
    return {
      embedder: { status: 'unavailable', message },
      index: { status: 'degraded', message: 'There is no index yet, because there is no embedder.' },
    }
  }
  const [embedder, index] = await Promise.all([active.embedder.check(), active.index.check()])
  const passages = ownPassages === undefined ? index.passages : ownPassages
  const sentences = [
    index.ok && passages !== null ? `${passages} passages` : index.message,
    ...(index.isIncomplete ? ['searches miss passages until damaged files are rebuilt, which is under way'] : []),
    ...(rebuiltBecause === null ? [] : [`rebuilt since the start, because ${rebuiltBecause}`]),
    ...(building === null ? [] : [buildingSentence(building)]),
  ]
  return {
    embedder: {
      status: embedder.ok ? 'ok' : 'degraded',
      message: embedder.ok ? reason : embedder.message,
      code: embedder.code,
      model: active.embedder.name,
      dimensions: active.embedder.dimensions,
    },
    index: {
      status: index.ok && !index.isIncomplete ? 'ok' : 'degraded',
      message: sentences.join('; '),
      chunks: passages,
      // The number of passages of all users decides this.
      ...(ownPassages === undefined && { ann: index.isApproximate }),
      ...(building && {
        building: {
          model: building.record.embeddingModel,
          documents_done: building.progress?.done ?? 0,
          documents_total: building.progress?.total ?? 0,
        },
      }),
    },
  }
}

function buildingSentence({ record, progress }: IndexState): string {
  const done = progress === null ? '' : ` (${progress.done} of ${progress.total} documents done)`
  return `building an index with ${record.embeddingModel}${done}`
}

/** The message when a model's vectors no longer match the vectors in the index. */
export function driftMessage({ name }: Pick<Embedder, 'name'>, similarity: number): string {
  return (
    `${name} now returns other vectors than when this index was built (similarity ${similarity.toFixed(2)}), under the same name and digest. ` +
    `Ollama may have been updated. Searches use keywords only, and new documents wait. ${remedy(name)}`
  )
}

/** How the user gets vectors back. docsearch never does this by itself. */
export function remedy(name: string): string {
  return `Run \`docsearch models use ${name}\` to embed all documents again while searches continue, or restore the former model.`
}
