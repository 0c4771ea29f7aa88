// node training/tokens.ts [--as KNOWN] OUT PAIRS.TSV…: turns text pairs into the numbers that start.py and contrast.py learn from. It splits texts with the
// program's own analyser, so that training and use can't differ. With --as, it keeps the words and phrases of an earlier run. It writes OUT.json (words,
// phrases, stems), OUT.ids and OUT.rows (see `write`).
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { modelWord } from '../src/embed/model/word-vectors.ts'
import { analyse } from '../src/text/analyse.ts'
import { toTerm } from '../src/text/stem.ts'
import { STOP_WORDS } from '../src/text/stop-words.ts'

const WORDS = 52_000
const PHRASES = 8_000
/** Rarer words are left to the hashed features: the pairs say too little about them. */
const MIN_COUNT = 8
const MIN_PHRASE_COUNT = 25
/** Two neighbours are a phrase from this normalised pointwise mutual information on (Bouma 2009). */
const MIN_NPMI = 0.2

interface Pair {
  source: number
  kind: number
  /** Places in `ids`: the start of the short text, the start of the passage, the end of the passage. */
  places: [number, number, number]
}

interface Header {
  words: string[]
  frequencies: number[]
  /** The numbers of two words, and how often they stand together. */
  phrases: [number, number, number][]
}

const { values, positionals } = parseArgs({ options: { as: { type: 'string' } }, allowPositionals: true })
const [out, ...files] = positionals as [string, ...string[]]
const known = values.as === undefined ? null : (JSON.parse(readFileSync(`${values.as}.json`, 'utf8')) as Header)
const stopWords = new Set(STOP_WORDS.english)

/** The number of every word, in the order of first appearance. */
const seen = new Map<string, number>()
const counts: number[] = []
let ids = new Int32Array(1 << 24)
let length = 0
const sources: string[] = []
const kinds: string[] = []
const pairs: Pair[] = []
for (const file of files) await read(file)

const words = known?.words ?? commonest()
const frequencies = known?.frequencies ?? words.map((word) => counts[seen.get(word)!]!)
renumber()
write()

async function read(file: string): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [source, kind, short, passage] = line.split('\t') as [string, string, string, string]
    const begin = length
    push(short)
    const middle = length
    push(passage)
    pairs.push({ source: numberOf(sources, source), kind: numberOf(kinds, kind), places: [begin, middle, length] })
  }
}

function push(text: string): void {
  for (const token of analyse(text)) {
    const word = modelWord(token.known)
    if (length === ids.length) {
      const longer = new Int32Array(length * 2)
      longer.set(ids)
      ids = longer
    }
    ids[length++] = word === null ? -1 : countOf(word)
  }
}

function countOf(word: string): number {
  let id = seen.get(word)
  if (id === undefined) seen.set(word, (id = counts.push(0) - 1))
  counts[id]!++
  return id
}

function numberOf(list: string[], name: string): number {
  const known = list.indexOf(name)
  return known < 0 ? list.push(name) - 1 : known
}

function commonest(): string[] {
  const frequent = [...seen].filter(([, id]) => counts[id]! >= MIN_COUNT)
  return frequent.toSorted(([, a], [, b]) => counts[b]! - counts[a]!).flatMap(([word], i) => (i < WORDS ? word : []))
}

/** Replaces the order of appearance by the place in the list. */
function renumber(): void {
  const places = new Int32Array(counts.length).fill(-1)
  for (const [place, word] of words.entries()) if (seen.has(word)) places[seen.get(word)!] = place
  for (let i = 0; i < length; i++) ids[i] = ids[i]! < 0 ? -1 : places[ids[i]!]!
}

/** Returns the neighbours that stand together far more often than by chance. Two stop words are no phrase. */
function phrases(): Header['phrases'] {
  const together = new Map<number, number>()
  for (const { places } of pairs) {
    for (const [begin, end] of [places.slice(0, 2), places.slice(1)] as [number, number][]) {
      for (let i = begin + 1; i < end; i++) {
        const [first, second] = [ids[i - 1]!, ids[i]!]
        if (first >= 0 && second >= 0) together.set(first * 65_536 + second, (together.get(first * 65_536 + second) ?? 0) + 1)
      }
    }
  }
  const total = frequencies.reduce((sum, count) => sum + count, 0)
  return [...together]
    .filter(([, count]) => count >= MIN_PHRASE_COUNT)
    .map(([key, count]) => {
      const [first, second] = [Math.floor(key / 65_536), key % 65_536]
      const information = Math.log((count * total) / (frequencies[first]! * frequencies[second]!)) / -Math.log(count / total)
      return { first, second, count, information }
    })
    .filter(({ first, second, information }) => {
      return information >= MIN_NPMI && !(stopWords.has(words[first]!) && stopWords.has(words[second]!))
    })
    .toSorted((a, b) => b.information * Math.log(b.count) - a.information * Math.log(a.count))
    .slice(0, PHRASES)
    .map(({ first, second, count }) => [first, second, count])
}

/** Writes the files. `ids` has all texts one after the other, as int32, with -1 for a word that is not in the list; `rows` has five int32 a pair. */
function write(): void {
  const stems = new Map<string, number>()
  const stemOf = (word: string): number => {
    const stem = toTerm(word, 'english')
    if (!stems.has(stem)) stems.set(stem, stems.size)
    return stems.get(stem)!
  }
  const header = { words, frequencies, stems: words.map(stemOf), phrases: known?.phrases ?? phrases(), sources, kinds }
  writeFileSync(`${out}.json`, JSON.stringify(header))
  writeFileSync(`${out}.ids`, Buffer.from(ids.buffer, 0, length * 4))
  writeFileSync(
    `${out}.rows`,
    Buffer.from(Int32Array.from(pairs.flatMap((pair) => [pair.source, pair.kind, ...pair.places])).buffer),
  )
  console.log(
    `${pairs.length} pairs, ${length} words, ${words.length} of ${seen.size} different ones and ${header.phrases.length} phrases kept`,
  )
}
