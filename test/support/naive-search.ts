import type { ScoringParameters } from '../../src/index/segments/bm25f.ts'
import { type Field, FIELDS } from '../../src/index/segments/format.ts'

export interface NaivePassage {
  row: bigint
  path: string
  index: number
  words: Record<Field, string[]>
}

/** Scores every passage with maps and loops: what a search over segments has to find, in the same order and with the same bits. */
export function naiveSearch(
  passages: readonly NaivePassage[],
  words: readonly string[],
  { limit, scoring, accepts }: { limit: number; scoring: ScoringParameters; accepts: (passage: NaivePassage) => boolean },
): { row: bigint; score: number }[] {
  const searched = FIELDS.filter((field) => scoring.fields[field].weight > 0)
  const lengths = FIELDS.map((field) => passages.reduce((sum, { words: of }) => sum + of[field].length, 0))
  const weigh = (factor: (field: (typeof FIELDS)[number]) => number) =>
    FIELDS.reduce((sum, field, f) => sum + factor(field) * lengths[f]!, 0)
  const total = weigh((field) => scoring.fields[field].weight)
  const share = weigh((field) => scoring.fields[field].b * scoring.fields[field].weight) / total

  const times = new Map<string, number>()
  for (const word of words) times.set(word.toWellFormed(), (times.get(word.toWellFormed()) ?? 0) + 1)
  const count = (all: readonly string[], word: string) => all.filter((one) => one === word).length

  const scores = new Map<NaivePassage, number>()
  for (const [word, repeated] of times) {
    const having = passages.filter(({ words: of }) => searched.some((field) => count(of[field], word) > 0))
    const idf = Math.log(1 + (passages.length - having.length + 0.5) / (having.length + 0.5))
    for (const passage of having) {
      let [frequency, slowness] = [0, Math.max(0, scoring.k1 * (1 - share))]
      for (const field of FIELDS) {
        const { weight, b } = scoring.fields[field]
        frequency += weight * count(passage.words[field], word)
        slowness += ((scoring.k1 * (b * weight) * passages.length) / total) * passage.words[field].length
      }
      const exact = (repeated * idf * (scoring.k1 + 1)) / (1 + slowness / frequency)
      scores.set(passage, (scores.get(passage) ?? 0) + roundScore(exact))
    }
  }
  return [...scores]
    .filter(([passage]) => accepts(passage))
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || compare(a.path, b.path) || a.index - b.index)
    .slice(0, limit)
    .map(([{ row }, score]) => ({ row, score }))
}

/** Rounds to a multiple of 2^-32, half of one to the even neighbour. */
function roundScore(score: number): number {
  const [below, above] = [Math.floor(score * 2 ** 32), Math.ceil(score * 2 ** 32)]
  const middle = (below + above) / 2
  if (score * 2 ** 32 === middle) return (below % 2 === 0 ? below : above) / 2 ** 32
  return (score * 2 ** 32 < middle ? below : above) / 2 ** 32
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
