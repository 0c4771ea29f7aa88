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
  /** The index of the word that the fewest passages have. */
  rarest: number
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
  /** No passage in the current window gets more for the alternative with the same index. */
  readonly #bounds: Float64Array
  /** The scores of the passages in `#found`, and otherwise 0. */
  readonly #best: Float64Array
  readonly #found: Bitmap
  /** The same for one word of an alternative. */
  readonly #word: Float64Array
  readonly #having: Bitmap

  constructor(own: readonly Scorer[], alternatives: readonly ScoredAlternative[], window: number) {
    this.#own = own
    this.#alternatives = alternatives
    this.#all = [...own, ...alternatives.flatMap(({ words }) => words.flat())]
    this.#bounds = new Float64Array(alternatives.length)
    this.#best = new Float64Array(window)
    this.#found = createBitmap(window)
    this.#word = new Float64Array(window)
    this.#having = createBitmap(window)
  }

  enter(start: number, end: number): void {
    for (const scorer of this.#all) scorer.enter(start, end)
    this.bound = sumOfBounds(this.#own)
    for (const [i, alternative] of this.#alternatives.entries()) {
      this.#bounds[i] = boundOf(alternative)
      this.bound = Math.max(this.bound, this.#bounds[i])
    }
  }

  next(from: number): number {
    let next = Infinity
    for (const scorer of this.#all) next = Math.min(next, scorer.next(from))
    return next
  }

  collect(start: number, end: number, scores: Float64Array, matches: Bitmap): void {
    const best = this.#best
    for (const scorer of this.#own) if (scorer.bound > 0) scorer.collect(start, end, best, this.#found)
    for (const [i, alternative] of this.#alternatives.entries()) if (this.#bounds[i]! > 0) this.#collect(alternative, start, end)
    takeEach(this.#found, (passage) => {
      scores[passage]! += best[passage]!
      best[passage] = 0
      setBit(matches, passage)
    })
  }

  scoreOf(passage: number): number {
    let best = sumOf(this.#own, passage)
    for (const [i, { words, weight }] of this.#alternatives.entries()) {
      if (this.#bounds[i]! <= best) continue
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

  /** Raises the best scores of the window to the scores of an alternative. Looks only at passages that have its rarest word. */
  #collect({ words, rarest, weight }: ScoredAlternative, start: number, end: number): void {
    const [best, word] = [this.#best, this.#word]
    for (const term of words[rarest]!) if (term.bound > 0) term.collect(start, end, word, this.#having)
    takeEach(this.#having, (passage) => {
      let sum = 0
      for (const [i, terms] of words.entries()) {
        const score = i === rarest ? word[passage]! : sumOf(terms, start + passage)
        if (score === 0) {
          sum = 0
          break
        }
        sum += score
      }
      word[passage] = 0
      if (sum === 0) return
      best[passage] = Math.max(best[passage]!, rounded(weight * sum))
      setBit(this.#found, passage)
    })
  }
}

/** Clears a bitmap and visits the bits that were set, in ascending order. */
function takeEach(bitmap: Bitmap, visit: (bit: number) => void): void {
  for (let at = 0; at < bitmap.length; at++) {
    let bits = bitmap[at]!
    bitmap[at] = 0
    for (; bits !== 0; bits &= bits - 1) visit(at * 32 + 31 - Math.clz32(bits & -bits))
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
