// node training/glove.ts VECTORS.JSON TOKENS: writes GloVe's vectors of the words in TOKENS.json to TOKENS.glove, as float32, with zeros for unknown
// words. It also adds the most common words of GloVe that the pairs lack to TOKENS.json: they move with what their neighbours learn.
import { readFileSync, writeFileSync } from 'node:fs'

const ADDED = 8_000
/** The added words are among GloVe's most frequent ones. GloVe lists words by frequency. */
const AMONG = 60_000
const DIMENSIONS = 100

const [file, tokens] = process.argv.slice(2) as [string, string]
const { words: known, vectors } = JSON.parse(readFileSync(file, 'utf8')) as { words: string[]; vectors: Record<string, number[]> }
const header = JSON.parse(readFileSync(`${tokens}.json`, 'utf8')) as { words: string[]; frequencies: number[]; stems: number[] }

const there = new Set(header.words)
const added = known
  .filter((word) => /^[a-z]{3,}$/.test(word))
  .slice(0, AMONG)
  .filter((word) => !there.has(word))
  .slice(0, ADDED)
const stems = Math.max(...header.stems) + 1
const words = [...header.words, ...added]
const rows = new Float32Array(words.length * DIMENSIONS)
for (const [i, word] of words.entries()) rows.set((vectors[word] ?? []).slice(0, DIMENSIONS), i * DIMENSIONS)
writeFileSync(`${tokens}.glove`, Buffer.from(rows.buffer))
const completed = {
  ...header,
  words,
  frequencies: [...header.frequencies, ...added.map(() => 1)],
  stems: [...header.stems, ...added.map((_, i) => stems + i)],
}
writeFileSync(`${tokens}.json`, JSON.stringify(completed))
console.log(`${added.length} words added, ${words.filter((word) => word in vectors).length} of ${words.length} known to GloVe`)
