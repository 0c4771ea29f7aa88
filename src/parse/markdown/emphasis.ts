/** A run of equal marks within a line: `*`, `_` or `~`. */
export interface Run {
  mark: string
  /** Characters of the run, and those that no other run has matched yet. */
  length: number
  left: number
  canOpen: boolean
  canClose: boolean
}

const SPACE = /\s/u
const PUNCTUATION = /[\p{P}\p{S}]/u
/** In these scripts no blank separates the mark from the word next to it, so the rules for punctuation would leave most marks. */
const NO_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const DIGIT = /\d/

/** @param before The character before the run, @param after the one after it. Both are empty at the ends of the text. */
export function runOf(mark: string, length: number, before: string, after: string): Run {
  const opens = isFlanking(after, before)
  const closes = isFlanking(before, after)
  // A product such as 2*3*4.
  const isProduct = mark === '*' && length === 1 && DIGIT.test(before) && DIGIT.test(after)
  const isMark = !isProduct && (mark !== '~' || length === 2)
  // An underscore within a word is part of a name.
  const isStrict = mark === '_'
  return {
    mark,
    length,
    left: length,
    canOpen: isMark && opens && (!isStrict || !closes || PUNCTUATION.test(before)),
    canClose: isMark && closes && (!isStrict || !opens || PUNCTUATION.test(after)),
  }
}

/** True if a run with this character on its inner and that one on its outer side can begin or end there (CommonMark, 6.2). */
function isFlanking(inner: string, outer: string): boolean {
  if (inner === '' || SPACE.test(inner)) return false
  return !PUNCTUATION.test(inner) || outer === '' || SPACE.test(outer) || PUNCTUATION.test(outer) || NO_BLANKS.test(outer)
}

/**
 * Takes the marks that belong together off their runs. What is left of a run is text. The time is linear: each search ends where
 * the last one for the same kind of run ended in vain.
 */
export function matchRuns(runs: readonly Run[]): void {
  const open: Run[] = []
  const bottoms = new Map<string, number>()
  for (const run of runs) {
    while (run.canClose && run.left > 0) {
      const kind = `${run.mark}${run.canOpen}${run.length % 3}`
      const bottom = bottoms.get(kind) ?? 0
      let at = open.length - 1
      while (at >= bottom && !belongTogether(open[at]!, run)) at--
      if (at < bottom) {
        bottoms.set(kind, open.length)
        break
      }
      const opener = open[at]!
      const count = opener.left >= 2 && run.left >= 2 ? 2 : 1
      opener.left -= count
      run.left -= count
      open.length = opener.left > 0 ? at + 1 : at
      for (const [key, height] of bottoms) if (height > open.length) bottoms.set(key, open.length)
    }
    if (run.canOpen && run.left > 0) open.push(run)
  }
}

function belongTogether(opener: Run, closer: Run): boolean {
  if (opener.mark !== closer.mark) return false
  const isAmbiguous = opener.canClose || closer.canOpen
  return !isAmbiguous || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0)
}
