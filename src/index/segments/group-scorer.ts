import { type Bitmap, createBitmap, setBit } from './bitmap.ts'
import { rounded } from './bm25f.ts'

/** Scores passages in ascending order, for `searchSegments`. A term has a scorer, and so has a group of words with its expansions. */
export interface Scorer {
  /** No passage in the current window scores higher. 0 when no passage in the window matches. */
  readonly bound: number
  enter(start: number, end: number): void
  next(from: number): number
  collect(start: number, end: number, scores: Float64Array, matches: Bitmap): void
  scoreOf(passage: number): number
}

/** Other words for the words of a group. A passage has to contain all of them. Each word has a scorer for each of its terms. */
export interface ScoredAlternative {
  words: readonly (readonly Scorer[])[]
  weight: number
}

/**
 * Scores a group of words of a question with other words for the same thing. A passage gets the score of the group's own words or of one
 * alternative, whichever is highest, so an alternative never adds to what a passage gets for the words themselves.
 */
export class GroupScorer implements Scorer {
  bound = 0
  readonly #own: readonly Scorer[]
  readonly #alternatives: readonly ScoredAlternative[]
  readonly #all: readonly Scorer[]
  readonly #best: Float64Array
  readonly #sums: Float64Array
  readonly #word: Float64Array
  readonly #counts: Uint8Array
  readonly #ignored: Bitmap

  constructor(own: readonly Scorer[], alternatives: readonly ScoredAlternative[], window: number) {
    this.#own = own
    this.#alternatives = alternatives
    this.#all = [...own, ...alternatives.flatMap(({ words }) => words.flat())]
    this.#best = new Float64Array(window)
    this.#sums = new Float64Array(window)
    this.#word = new Float64Array(window)
    this.#counts = new Uint8Array(window)
    this.#ignored = createBitmap(window)
  }

  enter(start: number, end: number): void {
    for (const scorer of this.#all) scorer.enter(start, end)
    this.bound = sumOfBounds(this.#own)
    for (const alternative of this.#alternatives) this.bound = Math.max(this.bound, boundOf(alternative))
  }

  next(from: number): number {
    let next = Infinity
    for (const scorer of this.#all) next = Math.min(next, scorer.next(from))
    return next
  }

  collect(start: number, end: number, scores: Float64Array, matches: Bitmap): void {
    const best = this.#best
    best.fill(0)
    for (const scorer of this.#own) if (scorer.bound > 0) scorer.collect(start, end, best, this.#ignored)
    for (const alternative of this.#alternatives) if (boundOf(alternative) > 0) this.#collect(alternative, start, end)
    for (let i = 0; i < end - start; i++) {
      if (best[i] === 0) continue
      scores[i]! += best[i]!
      setBit(matches, i)
    }
  }

  scoreOf(passage: number): number {
    let best = sumOf(this.#own, passage)
    for (const { words, weight } of this.#alternatives) {
      let sum = 0
      for (const terms of words) {
        const score = sumOf(terms, passage)
        if (score === 0) {
          sum = 0
          break
        }
        sum += score
      }
      best = Math.max(best, rounded(weight * sum))
    }
    return best
  }

  /** Raises the best scores of the window to the scores of an alternative. */
  #collect({ words, weight }: ScoredAlternative, start: number, end: number): void {
    const [best, sums, word, counts] = [this.#best, this.#sums, this.#word, this.#counts]
    sums.fill(0)
    counts.fill(0)
    for (const terms of words) {
      word.fill(0)
      for (const term of terms) if (term.bound > 0) term.collect(start, end, word, this.#ignored)
      for (let i = 0; i < end - start; i++) {
        if (word[i] === 0) continue
        sums[i]! += word[i]!
        counts[i]!++
      }
    }
    for (let i = 0; i < end - start; i++) if (counts[i] === words.length) best[i] = Math.max(best[i]!, rounded(weight * sums[i]!))
  }
}

function sumOf(scorers: readonly Scorer[], passage: number): number {
  let sum = 0
  for (const scorer of scorers) sum += scorer.scoreOf(passage)
  return sum
}

function sumOfBounds(scorers: readonly Scorer[]): number {
  let sum = 0
  for (const { bound } of scorers) sum += bound
  return sum
}

function boundOf({ words, weight }: ScoredAlternative): number {
  let sum = 0
  for (const terms of words) {
    const bound = sumOfBounds(terms)
    if (bound === 0) return 0
    sum += bound
  }
  return rounded(weight * sum)
}
