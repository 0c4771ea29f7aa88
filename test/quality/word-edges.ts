import { wordsOf } from './overlap.ts'

/** Words that a reader ran together or tore apart, next to what another reader made of the same document. */
export interface WordEdges {
  words: number
  joined: string[]
  split: string[]
}

/**
 * Joined: a word that the reference does not have, but has as two neighbours. Split: two neighbours that the reference does not have as such, but has
 * as one word. What both readers do alike is not seen.
 */
export function wordEdges(reference: string, text: string): WordEdges {
  const theirs = wordsOf(reference)
  const known = new Set(theirs)
  const pairs = new Set(theirs.slice(1).map((word, i) => `${theirs[i]} ${word}`))
  const ours = wordsOf(text)
  const joined: string[] = []
  const split: string[] = []
  ours.forEach((word, i) => {
    if (!known.has(word)) {
      for (let cut = 1; cut < word.length; cut++) {
        const pair = `${word.slice(0, cut)} ${word.slice(cut)}`
        if (pairs.has(pair)) {
          joined.push(pair)
          break
        }
      }
    }
    const next = ours[i + 1]
    // Two figures beside one another are cells, not halves.
    if (next !== undefined && /\p{L}/u.test(word + next) && known.has(word + next) && !pairs.has(`${word} ${next}`))
      split.push(`${word} ${next}`)
  })
  return { words: ours.length, joined, split }
}
