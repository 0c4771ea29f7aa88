import { seeded } from '../support/seeded.ts'

/** Relevance by document id for one query. A missing document has 0. */
export type Judgements = ReadonlyMap<string, number>

/** Computes nDCG like trec_eval: linear gain, log2 discount (Järvelin and Kekäläinen 2002). */
export function ndcg(ranking: readonly string[], judged: Judgements, depth: number): number {
  const gains = ranking.slice(0, depth).map((id) => Math.max(0, judged.get(id) ?? 0))
  const ideal = [...judged.values()].filter((gain) => gain > 0).toSorted((a, b) => b - a)
  const best = discounted(ideal.slice(0, depth))
  return best === 0 ? 0 : discounted(gains) / best
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0)
}

export function recall(ranking: readonly string[], judged: Judgements, depth: number): number {
  const relevant = [...judged].filter(([, gain]) => gain > 0).map(([id]) => id)
  const found = new Set(ranking.slice(0, depth))
  return relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

const SAMPLES = 10_000

/**
 * Returns the 95 % confidence interval of the mean, from the percentile bootstrap. Each sample draws as many values from each set as the set
 * has, with replacement, and takes the mean of the sets' means. To compare two runs, pass the difference for each question (paired). The same
 * values always give the same bounds.
 */
export function bootstrapInterval(sets: readonly (readonly number[])[]): [low: number, high: number] {
  const random = seeded(1)
  const draw = (values: readonly number[]) => mean(values.map(() => values[Math.floor(random() * values.length)]!))
  const means = Float64Array.from({ length: SAMPLES }, () => mean(sets.map(draw))).sort()
  return [means[Math.floor(0.025 * SAMPLES)]!, means[Math.ceil(0.975 * SAMPLES) - 1]!]
}
