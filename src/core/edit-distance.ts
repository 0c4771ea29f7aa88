/** Reused by every call, because a correction compares thousands of words. */
const ROWS: [number[], number[], number[]] = [[], [], []]

/**
 * Counts the letters to insert, delete, replace or swap with their neighbour to turn one word into the other (Damerau-Levenshtein
 * in its restricted form: no letter is moved twice). Returns `max` + 1 for every distance above `max`. Compares only letters that
 * are at most `max` positions apart, because no alignment within `max` edits matches others.
 */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  // One edit adds at most one kind of letter and removes at most one. This rules out nearly all words of a vocabulary.
  if (countBits(letterBits(a) ^ letterBits(b)) > 2 * max) return max + 1
  let [beforeLast, last, row] = ROWS
  const far = max + 1
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - max)
    const to = Math.min(b.length, i + max)
    row[from - 1] = from === 1 ? i : far
    row[to + 1] = far
    let lowest = row[from - 1]!
    for (let j = from; j <= to; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) cost = Math.min(cost, beforeLast[j - 2]! + 1)
      row[j] = cost
      lowest = Math.min(lowest, cost)
    }
    if (lowest > max) return far
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return Math.min(last[b.length]!, far)
}

/** One bit for each letter that occurs; letters of large alphabets share bits. */
function letterBits(word: string): number {
  let bits = 0
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31)
  return bits
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
