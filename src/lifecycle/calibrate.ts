import type { Chance } from '../core/noise.ts'
import type { Embedder } from '../embed/embedder.ts'
import { SAMPLE_PASSAGES, SAMPLE_QUESTIONS } from './calibration-texts.ts'
import { cosine } from './canaries.ts'

/**
 * Measures how near a model puts questions to passages that have nothing to do with them. Some models put all texts near each other. Returns
 * null when the model can't embed one of the passages. Throws as `embedDocuments` and `embedQuery` do.
 */
export async function calibrate(embedder: Embedder, signal: AbortSignal): Promise<Chance | null> {
  const passages = await embedder.embedDocuments(
    SAMPLE_PASSAGES.map((text) => ({ text, title: null })),
    signal,
  )
  if (!passages.every((vector) => vector !== null)) return null
  const similarities: number[] = []
  for (const text of SAMPLE_QUESTIONS) {
    const question = await embedder.embedQuery(text, signal)
    similarities.push(...passages.map((passage) => cosine(question, passage)))
  }
  const mean = meanOf(similarities)
  return { mean, deviation: Math.sqrt(meanOf(similarities.map((similarity) => (similarity - mean) ** 2))) }
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
