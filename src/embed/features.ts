import type { Token } from '../text/analyse.ts'

/** Number of slots at first. It doubles whenever half of them are in use. */
const FIRST_SIZE = 8192

/**
 * Counts hashed features, and is cleared for every passage. It uses open addressing over typed arrays: a Map of numbers takes ten times
 * as long, and counting is most of the built-in embedder's work.
 */
export class FeatureCounts {
  private keys = new Int32Array(FIRST_SIZE)
  private counts = new Int32Array(FIRST_SIZE)
  /** The slots in use, in the order of their first use. */
  private slots = new Int32Array(FIRST_SIZE)
  private used = 0

  clear(): void {
    for (let i = 0; i < this.used; i++) this.counts[this.slots[i]!] = 0
    this.used = 0
  }

  add(hash: number, count: number): void {
    if (this.used * 2 >= this.keys.length) this.grow()
    const { keys, counts } = this
    const mask = keys.length - 1
    let slot = hash & mask
    while (counts[slot] !== 0 && keys[slot] !== hash) slot = (slot + 1) & mask
    if (counts[slot] === 0) {
      keys[slot] = hash
      this.slots[this.used++] = slot
    }
    counts[slot]! += count
  }

  /** Visits the features in the order in which they were first added. */
  forEach(visit: (hash: number, count: number) => void): void {
    for (let i = 0; i < this.used; i++) {
      const slot = this.slots[i]!
      visit(this.keys[slot]!, this.counts[slot]!)
    }
  }

  private grow(): void {
    const { keys, counts, slots, used } = this
    this.keys = new Int32Array(keys.length * 2)
    this.counts = new Int32Array(keys.length * 2)
    this.slots = new Int32Array(keys.length * 2)
    this.used = 0
    for (let i = 0; i < used; i++) this.add(keys[slots[i]!]!, counts[slots[i]!]!)
  }
}

const STEM_WEIGHT = 1
const STEM_PLACES = 4
const GRAM_WEIGHT = 0.3
const MIN_GRAM = 3
const MAX_GRAM = 5
/** Longer words are identifiers, whose many grams would outweigh the passage. */
const MAX_GRAMMED_WORD = 32

const stems = new FeatureCounts()
const grams = new FeatureCounts()

/**
 * Adds hashed features to `vector` (feature hashing, Weinberger et al. 2009): each term and each piece of its word is hashed to a
 * dimension and a sign, and counted there. This knows no synonyms, but finds misspelled and inflected words in any language.
 */
export function addFeatures(vector: Float32Array, text: string, tokens: readonly Token[]): void {
  const surfaces = new Map<Int32Array, number>()
  stems.clear()
  for (const { term, start, end } of tokens) {
    stems.add(hashOf(term, 0, term.length, STEM_SEED), 1)
    countPieces(surfaces, text.slice(start, end))
  }
  addStems(vector)
  addPieces(vector, surfaces)
}

/** Adds the features of a text of punctuation and symbols only, so that such texts differ too. */
export function addSymbols(vector: Float32Array, text: string): void {
  const surfaces = new Map<Int32Array, number>()
  for (const symbols of text.match(/[^\s\p{C}]{1,16}/gu) ?? []) countPieces(surfaces, symbols)
  addPieces(vector, surfaces)
}

function countPieces(surfaces: Map<Int32Array, number>, surface: string): void {
  const pieces = gramsOf(surface)
  surfaces.set(pieces, (surfaces.get(pieces) ?? 0) + 1)
}

/** Counts the pieces of a repeated word once, times its repetitions. */
function addPieces(vector: Float32Array, surfaces: ReadonlyMap<Int32Array, number>): void {
  grams.clear()
  for (const [pieces, times] of surfaces) for (let i = 0; i < pieces.length; i++) grams.add(pieces[i]!, times)
  grams.forEach((hash, count) => addAt(vector, hash, GRAM_WEIGHT * saturated(count)))
}

const NO_GRAMS = new Int32Array()
/** Hashes of a word's pieces, by word. Text repeats itself, and looking hashes up takes a third of the time of computing them. */
const knownGrams = new Map<string, Int32Array>()
const MAX_KNOWN = 20_000

function gramsOf(surface: string): Int32Array {
  let hashes = knownGrams.get(surface)
  if (hashes === undefined) {
    if (knownGrams.size >= MAX_KNOWN) knownGrams.clear()
    // In scripts without spaces, the analyser gives single characters and pairs already.
    const isPiece = surface.length <= 2 && /[^\0-\u0dff]/.test(surface)
    hashes = isPiece || surface.length > MAX_GRAMMED_WORD ? NO_GRAMS : hashGrams(surface)
    knownGrams.set(surface, hashes)
  }
  return hashes
}

function hashGrams(surface: string): Int32Array {
  const word = `<${surface.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')}>`
  const hashes: number[] = []
  for (let size = MIN_GRAM; size <= MAX_GRAM; size++) {
    for (let at = 0; at + size <= word.length; at++) hashes.push(hashOf(word, at, at + size, GRAM_SEED))
  }
  return Int32Array.from(hashes)
}

/** Adds each term in several places. With one place each, two terms of short texts that collide would make the texts look alike. */
function addStems(vector: Float32Array): void {
  stems.forEach((hash, count) => {
    const value = (STEM_WEIGHT * saturated(count)) / Math.sqrt(STEM_PLACES)
    for (let i = 0; i < STEM_PLACES; i++) addAt(vector, i === 0 ? hash : mixed(hash + i), value)
  })
}

function saturated(count: number): number {
  return count === 1 ? 1 : 1 + Math.log(count)
}

/** The top bit of the hash decides the sign, the other bits the dimension. */
function addAt(vector: Float32Array, hash: number, value: number): void {
  vector[(hash & 0x7fffffff) % vector.length]! += hash < 0 ? -value : value
}

const STEM_SEED = 0x811c9dc5
const GRAM_SEED = 0x9e3779b9

/** FNV-1a over UTF-16 code units. MurmurHash3's finaliser mixes its bits, because low bits choose the dimension and the top bit the sign. */
function hashOf(text: string, start: number, end: number, seed: number): number {
  let hash = seed | 0
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return mixed(hash)
}

function mixed(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
