import type { Logger } from '../core/logger.ts'
import { OllamaCallError } from '../ollama/client.ts'

type EmbedBatch = (texts: string[]) => Promise<(Float32Array | null)[]>

/** A word that every model can embed. */
const PLAIN_WORD = 'document'

/**
 * Embeds texts in bounded batches. A text that is too long, or for which the model gives only NaN, fails its whole batch at Ollama. The
 * batch is then halved until that text is alone, and its vector is null. Throws when the model gives NaN even for a plain word, because
 * then the texts are not at fault.
 */
export async function embedWithBisection(
  texts: readonly (string | null)[],
  bounds: { batchInputs: number; batchChars: number },
  embed: EmbedBatch,
  log: Logger,
): Promise<(Float32Array | null)[]> {
  const vectors: (Float32Array | null)[] = texts.map(() => null)
  let notFinite = false
  for (const batch of batchesOf(texts, bounds)) {
    await fill(batch)
  }
  if (notFinite && !vectors.some((vector) => vector !== null)) {
    const [vector] = await embed([PLAIN_WORD])
    if (vector === null || vector === undefined)
      throw new OllamaCallError('not_finite', 'the model returns no usable vector, even for one plain word')
  }
  return vectors

  async function fill(batch: readonly number[]): Promise<void> {
    try {
      const found = await embed(batch.map((i) => texts[i]!))
      for (const [at, i] of batch.entries()) vectors[i] = found[at] ?? null
      if (found.includes(null)) notFinite = true
    } catch (error) {
      if (!(error instanceof OllamaCallError) || (error.failure !== 'too_long' && error.failure !== 'not_finite')) throw error
      if (batch.length > 1) {
        const half = batch.length >> 1
        await fill(batch.slice(0, half))
        await fill(batch.slice(half))
        return
      }
      if (error.failure === 'not_finite') notFinite = true
      log.warn(
        { failure: error.failure, chars: texts[batch[0]!]!.length },
        'a passage cannot be embedded and is found by keywords only',
      )
    }
  }
}

/** Splits the indexes of the texts that are not null into batches, by number and size. */
function batchesOf(
  texts: readonly (string | null)[],
  { batchInputs, batchChars }: { batchInputs: number; batchChars: number },
): number[][] {
  const batches: number[][] = []
  let chars = Infinity
  for (const [i, text] of texts.entries()) {
    if (text === null) continue
    if (chars + text.length > batchChars || batches.at(-1)!.length >= batchInputs) {
      batches.push([])
      chars = 0
    }
    batches.at(-1)!.push(i)
    chars += text.length
  }
  return batches
}
