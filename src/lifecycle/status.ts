import { countOf } from '../core/count-of.ts'
import type { Embedder } from '../embed/embedder.ts'
import { parseOllamaFingerprint } from '../embed/ollama-model.ts'
import type { IndexState, Lifecycle, OpenIndex } from './lifecycle.ts'

export interface StatusFacts {
  active: OpenIndex | null
  /** The embedder that was chosen, also while it can't be used. */
  chosen: string
  /** Why this embedder was chosen, or why there is none. */
  reason: string
  /** Why the index was rebuilt since the start; null when it was not. */
  rebuiltBecause: string | null
  building: IndexState | null
  /** Passages that the user may see; undefined for the owner of the instance. Null when they can't be counted. */
  ownPassages?: number | null | undefined
  /** What this process does while it has no model that fits the index, in sentences. */
  withoutEmbedder: string
}

/** Describes embedder and index for health. */
export async function describeStatus(facts: StatusFacts): ReturnType<Lifecycle['status']> {
  const { active, chosen, reason, rebuiltBecause, building, ownPassages, withoutEmbedder } = facts
  if (active === null) {
    const message = `Nothing can be searched yet, because there is no embedder: ${reason}`
    return {
      embedder: { status: 'unavailable', message, code: 'embedder_unavailable', model: chosen },
      index: { status: 'degraded', message: 'There is no index yet, because there is no embedder.' },
    }
  }
  const [embedder, index] = await Promise.all([active.embedder.check(), active.index.check()])
  const isUnusable = !active.embedder.canEmbed || embedder.code === 'embedding_model_changed'
  const failure = isUnusable ? `${embedder.message} ${withoutEmbedder}` : embedder.message
  const passages = ownPassages === undefined ? index.passages : ownPassages
  const sentences = [
    index.ok && passages !== null ? countOf(passages, 'passage') : index.message,
    ...(index.isIncomplete ? ['damaged files are being rebuilt, and until then searches miss some passages'] : []),
    ...(rebuiltBecause === null ? [] : [`rebuilt since the start, because ${rebuiltBecause}`]),
    ...(building === null ? [] : [buildingSentence(building)]),
  ]
  return {
    embedder: {
      status: embedder.ok ? 'ok' : 'degraded',
      message: embedder.ok ? reason : failure,
      code: embedder.code,
      model: active.embedder.name,
      dimensions: active.embedder.dimensions,
    },
    index: {
      status: index.ok && !index.isIncomplete ? 'ok' : 'degraded',
      message: sentences.join('; '),
      chunks: passages,
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
  const done = progress === null ? '' : ` (${progress.done} of ${countOf(progress.total, 'document')} done)`
  return `building an index with ${record.embeddingModel}${done}`
}

/** The message when a model's vectors no longer match the vectors in the index. */
export function driftMessage({ name }: Pick<Embedder, 'name'>, similarity: number): string {
  return (
    `${name} now returns different vectors than when this index was built (similarity ${similarity.toFixed(2)}), under the same name and digest. ` +
    `Ollama may have been updated. ${remedy(name)}`
  )
}

/** The message when an index was made with another fingerprint of the same model. */
export function changedMessage(name: string, made: string, now: string): string {
  const [before, after] = [parseOllamaFingerprint(made), parseOllamaFingerprint(now)]
  if (before === null || after === null || before.digest !== after.digest || before.templateVersion === after.templateVersion)
    return `${name} is no longer the model that built this index. ${remedy(name)}`
  return (
    `This version of docsearch prepares texts for ${name} differently from the version that built this index, so the vectors cannot be compared. ` +
    `${useAgain(name)}.`
  )
}

/** How the user gets vectors back. docsearch never does this by itself. */
export function remedy(name: string): string {
  return `${useAgain(name)}, or restore the former model.`
}

function useAgain(name: string): string {
  return `Run \`docsearch models use ${name}\` to embed all documents again while searches continue`
}
