import type { SearchAnswer } from '../../src/contract/search.ts'
import { type StoredPassage, storedPassages } from './stored-passages.ts'

const TOP = 10

interface Nearest {
  score: number
  passage: Pick<StoredPassage, 'documentId' | 'start' | 'end'>
}

/**
 * Returns the share of the exact ten nearest passages that the answers contain. A result of joined passages contains all of them.
 */
export async function measureRecall(
  dataDir: string,
  questions: readonly string[],
  embed: (question: string) => Promise<Float32Array>,
  search: (question: string) => Promise<SearchAnswer>,
): Promise<number> {
  const exact = await nearest(dataDir, await Promise.all(questions.map(embed)))
  let found = 0
  for (const [i, question] of questions.entries()) {
    const { results } = await search(question)
    for (const { passage } of exact[i]!) {
      const isFound = results.some(
        ({ document, chunk }) =>
          document.id === passage.documentId && chunk.char_start <= passage.start && chunk.char_end >= passage.end,
      )
      if (isFound) found++
    }
  }
  return found / exact.reduce((sum, list) => sum + list.length, 0)
}

/** Compares every stored vector with every question. */
async function nearest(dataDir: string, queries: readonly Float32Array[]): Promise<Nearest[][]> {
  const best = queries.map((): Nearest[] => [])
  for await (const batch of storedPassages(dataDir)) {
    for (const passage of batch) {
      for (const [i, query] of queries.entries()) offer(best[i]!, passage, dot(query, passage.vector))
    }
  }
  return best
}

function offer(best: Nearest[], { documentId, start, end }: StoredPassage, score: number): void {
  if (best.length === TOP && score <= best[TOP - 1]!.score) return
  const place = best.findIndex((other) => other.score < score)
  best.splice(place === -1 ? best.length : place, 0, { score, passage: { documentId, start, end } })
  best.length = Math.min(best.length, TOP)
}

/** Stored vectors have length 1, so this orders like the cosine. */
function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
