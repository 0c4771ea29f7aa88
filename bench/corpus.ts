/** A text collection of a given size, the same in every run. Zipf's law draws its invented words. */

function random(seed: number): () => number {
  // Mulberry32: small, good enough for drawing words.
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const SYLLABLES =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu'.split(
    ' ',
  )

export interface Corpus {
  documents: { name: string; content: string }[]
  queries: string[]
}

/** Documents of about 20 passages of 150 words each, and questions of three to six of their words. */
export function makeCorpus(documents: number, queries: number): Corpus {
  const next = random(7)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!
  const vocabulary = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 2 + Math.floor(next() * 3) }, () => pick(SYLLABLES)).join(''),
  )
  const word = (): string => vocabulary[Math.floor(vocabulary.length ** next()) - 1]!
  const sentence = (): string => {
    const words = Array.from({ length: 8 + Math.floor(next() * 14) }, word).join(' ')
    return `${words[0]!.toUpperCase()}${words.slice(1)}.`
  }
  const paragraph = (): string => Array.from({ length: 5 }, sentence).join(' ')
  return {
    documents: Array.from({ length: documents }, (_, i) => ({
      name: `report-${String(i).padStart(5, '0')}.txt`,
      content: Array.from({ length: 40 }, paragraph).join('\n\n'),
    })),
    queries: Array.from({ length: queries }, () => Array.from({ length: 3 + Math.floor(next() * 4) }, word).join(' ')),
  }
}
