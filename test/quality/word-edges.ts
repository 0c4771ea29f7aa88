import { wordsOf } from './overlap.ts'

/** Words that a parser joined or split, compared with another parser's text of the same document. */
export interface WordEdges {
  words: number
  joined: string[]
  split: string[]
}

/**
 * Compares the edges of words. Joined: the reference has the word as two neighbours only. Split: the reference has the two neighbours as
 * one word only. Errors that both parsers make don't show.
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
    // Two numbers next to each other are cells, not halves of a word.
    if (next !== undefined && /\p{L}/u.test(word + next) && known.has(word + next) && !pairs.has(`${word} ${next}`))
      split.push(`${word} ${next}`)
  })
  return { words: ours.length, joined, split }
}
