import type { RerankCandidate } from '../rerank/reranker.ts'
import type { QueryWord } from '../text/analyse.ts'

/** Returns how many passages an owner has, and how many of them have each term. Unknown terms are missing from the map. */
export type Frequencies = (terms: readonly string[]) => Promise<{ passages: number; frequency: ReadonlyMap<string, number> }>

/**
 * Returns how rare a term is: ln(1 + (N − n + ½) / (n + ½)). Numbers, single characters and pairs of characters are not in the
 * vocabulary, so they are counted in the candidates. That makes common ones look rare, but only candidates have to be compared.
 */
export function inverseFrequency(
  { passages, frequency }: Awaited<ReturnType<Frequencies>>,
  words: readonly QueryWord[],
  candidates: readonly RerankCandidate[],
): (term: string) => number {
  const unknown = new Map<string, number>()
  for (const { terms } of words) for (const term of terms) if (!frequency.has(term)) unknown.set(term, 0)
  for (const { terms } of unknown.size === 0 ? [] : candidates) {
    const seen = new Set<string>()
    for (const term of terms.split(' ')) if (unknown.has(term)) seen.add(term)
    for (const term of seen) unknown.set(term, unknown.get(term)! + 1)
  }
  const all = Math.max(passages, candidates.length)
  return (term) => {
    const count = Math.min(all, frequency.get(term) ?? unknown.get(term) ?? 0)
    return Math.log(1 + (all - count + 0.5) / (count + 0.5))
  }
}
