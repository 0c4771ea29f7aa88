import type { Embedder } from '../embed/embedder.ts'
import type { OpenIndex, Lifecycle, IndexState } from './lifecycle.ts'

/** State of embedder and index in words, for health. `beside`: what is being built, if anything is. */
export async function describeStatus(
  active: OpenIndex | null,
  reason: string,
  rebuilt: string | null,
  beside: IndexState | null,
): ReturnType<Lifecycle['status']> {
  if (active === null) {
    const message = `No embedder yet, so nothing can be searched: ${reason}`
    return {
      embedder: { status: 'unavailable', message },
      index: { status: 'degraded', message: 'There is no index before there is an embedder.' },
    }
  }
  const [embedder, index] = await Promise.all([active.embedder.check(), active.index.check()])
  const sentences = [
    index.message,
    ...(rebuilt === null ? [] : [`built anew since the start, because ${rebuilt}`]),
    ...(beside === null ? [] : [besideSentence(beside)]),
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
      status: index.ok ? 'ok' : 'degraded',
      message: sentences.join('; '),
      chunks: index.chunks,
      ann: index.ann,
      ...(beside && {
        building: {
          model: beside.record.embeddingModel,
          documents_done: beside.progress?.done ?? 0,
          documents_total: beside.progress?.total ?? 0,
        },
      }),
    },
  }
}

function besideSentence({ record, progress }: IndexState): string {
  const done = progress === null ? '' : `, ${progress.done} of ${progress.total} documents are in it`
  return `beside it one with ${record.embeddingModel} is being built${done}`
}

/** What is said when the vectors of a model are no longer those of the index. */
export function driftMessage({ name }: Pick<Embedder, 'name'>, similarity: number): string {
  return (
    `${name} no longer gives the vectors this index was made with (similarity ${similarity.toFixed(2)}), though its name and digest are the same: ` +
    `perhaps Ollama was updated. Questions are answered by keywords and new documents wait. ${remedy(name)}`
  )
}

/** How to get out of it: always offered, never done by itself. */
export function remedy(name: string): string {
  return `\`docsearch models use ${name}\` embeds everything anew while searches go on; or bring the former model back.`
}
