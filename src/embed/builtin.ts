import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANALYSER_VERSION, analyse, type Token } from '../text/analyse.ts'
import { NO_LANGUAGE, numberOf, shownLanguage } from '../text/language.ts'
import { countWords } from '../text/model-tokens.ts'
import type { Embedder } from './embedder.ts'
import { readModel, shippedModel } from './model/file.ts'
import { SHIPPED } from './model/shipped.ts'
import { createWordVectors, NO_WORD, type WordVectors } from './model/word-vectors.ts'
import { normalise } from './vectors.ts'

const NAME = 'builtin'
/** The first dimensions hold what the text means, the others hashed features of what the model does not know. Most features are 0. */
const MEANING = SHIPPED.dimensions
const FEATURES = 768
export const BUILTIN_DIMENSIONS = MEANING + FEATURES
/** Returns how many of a model's dimensions, from the first one on, are mostly not 0. */
export function denseDimensions(model: string, dimensions: number): number {
  return model === NAME ? Math.min(MEANING, dimensions) : dimensions
}
/** Raised with every change to the vectors that this file computes. */
const BUILTIN_VERSION = 2
/**
 * Weight of the unknown words, relative to their share of all words. Unknown words (names, rare terms) distinguish a text. From one half
 * on, the text is in another language, or in none, and the few known words mislead. Mean nDCG@10 over five English collections: .676 with
 * 0, .680 with 1, .684 with 2.
 */
const UNKNOWN_WEIGHT = 2
/**
 * Weight of the squared cosines in search/fuse.ts. Mean nDCG@10 over five English collections, fused: .673 with 0, .679 with .2 to .4, .677
 * with .5. A question of hashed features only (in another language, or only names) gets less, because keywords find as much. In scripts
 * without blanks it gets nothing: keyword search compares pairs of characters there, and the features say no more.
 */
const MEANING_WEIGHT = 0.3
const FEATURES_WEIGHT = 0.1
const WITHOUT_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const ENGLISH = numberOf('english')
/** After this long, other work gets its turn. */
const SLICE_MS = 5

/**
 * Creates the embedder that needs no download. The shipped model knows what English words mean; hashed features cover what it does not
 * know: names, numbers, other languages. `model` is its bytes, when another thread has read them already. Throws DocsearchError
 * `internal_error` when the model's file is damaged. Embedding throws only when it is aborted.
 */
export function createBuiltinEmbedder(model: SharedArrayBuffer = shippedModel()): Embedder {
  const embed = embedWith(model)
  return {
    name: NAME,
    canEmbed: true,
    tokensPerSecond: null,
    work: { passages: 0 },
    isExternal: false,
    sharedModel: model,
    dimensions: BUILTIN_DIMENSIONS,
    maxTokens: 512,
    fusionWeight: (question, query) => {
      if (hasMeaning(question)) return MEANING_WEIGHT
      return WITHOUT_BLANKS.test(query) ? 0 : FEATURES_WEIGHT
    },
    hasMeaning,
    noiseFloor: (question) => ({ mean: 0, deviation: deviationByChance(question), margin: 0.5, onlyWithoutWords: false }),
    fingerprint: `builtin:${BUILTIN_VERSION}:${SHIPPED.name}${SHIPPED.version}:${SHIPPED.sha256.slice(0, 12)}:analyser${ANALYSER_VERSION}:${BUILTIN_DIMENSIONS}`,
    tokenCounter: 'words',
    batchLimits: { inputs: 64, tokens: Infinity },
    countTokens: countWords,
    async embedDocuments(inputs, signal) {
      const vectors: (Float32Array | null)[] = []
      let began = performance.now()
      for (const { text, title } of inputs) {
        signal?.throwIfAborted()
        vectors.push(embed(title === null ? text : `${title}\n${text}`))
        if (performance.now() - began > SLICE_MS) {
          await nextTurn()
          began = performance.now()
        }
      }
      signal?.throwIfAborted()
      return vectors
    },
    async embedQuery(query, signal) {
      signal?.throwIfAborted()
      return embed(query, isForeign(query)) ?? anyDirection()
    },
    async check() {
      return { ok: true, code: 'ok', message: 'The built-in embedder is always ready.' }
    },
    async close() {},
  }
}

/**
 * Half the standard deviation of the cosine between questions and passages of different collections. Half, because a question in quite
 * different words is often hardly nearer to its answer than chance, and a wrong result costs less than a missing answer.
 */
const MEANING_DEVIATION = 0.045

/**
 * Returns how far the cosines of unrelated texts spread around 0: in the model's part because all English is a little alike, in the hashed
 * part (by 1/√dimensions) because hashes collide.
 */
function deviationByChance(question: Float32Array): number {
  const hashed = hashedShare(question)
  return Math.hypot((1 - hashed) * MEANING_DEVIATION, hashed / Math.sqrt(FEATURES))
}

function hasMeaning(question: Float32Array): boolean {
  return hashedShare(question) <= 0.99
}

/** Returns whether a question shows another language than English, which is the only one that the model knows. */
function isForeign(query: string): boolean {
  const language = shownLanguage(analyse(query), 1)
  return language !== NO_LANGUAGE && language !== ENGLISH
}

/** Returns the share of hashed features in a question's vector, 0 to 1. */
function hashedShare(question: Float32Array): number {
  let hashed = 0
  for (let i = MEANING; i < question.length; i++) hashed += question[i]! * question[i]!
  return Math.min(1, hashed)
}

/** Each thread unpacks the table once. */
const unpacked = new WeakMap<ArrayBufferLike, Embed>()

/** `isForeign`: the text is in another language, and names or loan words that the model knows would mislead. */
type Embed = (text: string, isForeign?: boolean) => Float32Array | null

function embedWith(bytes: ArrayBufferLike): Embed {
  const known = unpacked.get(bytes)
  if (known !== undefined) return known
  const model = createWordVectors(readModel(bytes))
  const embed: Embed = (text, isForeign = false) => vectorOf(text, model, isForeign)
  unpacked.set(bytes, embed)
  return embed
}

/** Returns null for a text without a visible character. */
function vectorOf(text: string, model: WordVectors, isForeign: boolean): Float32Array | null {
  const vector = new Float32Array(BUILTIN_DIMENSIONS)
  const features = vector.subarray(MEANING)
  const tokens = analyse(text)
  const { places, hasSubject, unknown, unknownShare } = readWords(tokens, model)
  const meaning = unknownShare < 1 && !isForeign ? model.meaningOf(places) : null
  if (meaning === null) {
    if (places.length === 0) addSymbols(features, text)
    else addFeatures(features, text, hasSubject ? tokens.filter((token) => !token.stop) : tokens)
    return normalise(vector)
  }
  if (unknownShare > 0) addFeatures(features, text, unknown)
  const share = normalise(features) === null ? 0 : unknownShare
  const [ofMeaning, ofFeatures] = [Math.sqrt(1 - share), Math.sqrt(share)]
  for (let i = 0; i < MEANING; i++) vector[i] = meaning[i]! * ofMeaning
  for (let i = 0; i < FEATURES; i++) features[i]! *= ofFeatures
  return vector
}

interface Read {
  /** Place of each word in the model, see `WordVectors.find`. */
  places: number[]
  /** True when some words are no stop words. These are the content; otherwise all words are. */
  hasSubject: boolean
  /** Words of the content that the model does not know. */
  unknown: Token[]
  /** Weight of the unknown words, 0 to 1. Numbers don't count: tables are full of them, and they don't say what a text is about. */
  unknownShare: number
}

function readWords(tokens: readonly Token[], model: WordVectors): Read {
  const hasSubject = tokens.some((token) => !token.stop)
  const places: number[] = []
  const unknown: Token[] = []
  let words = 0
  let unknownWords = 0
  for (const token of tokens) {
    const place = model.find(token.known)
    places.push(place)
    if (token.stop && hasSubject) continue
    if (place !== NO_WORD) words++
    if (place >= 0) continue
    unknown.push(token)
    if (place !== NO_WORD) unknownWords++
  }
  return { places, hasSubject, unknown, unknownShare: words === 0 ? 1 : Math.min(1, (UNKNOWN_WEIGHT * unknownWords) / words) }
}

/** The vector of a question without any feature: every vector needs a direction, and this one means nothing. */
function anyDirection(): Float32Array {
  const vector = new Float32Array(BUILTIN_DIMENSIONS)
  vector[MEANING] = 1
  return vector
}

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
function addFeatures(vector: Float32Array, text: string, tokens: readonly Token[]): void {
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
function addSymbols(vector: Float32Array, text: string): void {
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
