import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANALYSER_VERSION, analyse, type Token } from '../text/analyse.ts'
import { NO_LANGUAGE, numberOf, shownLanguage } from '../text/language.ts'
import { countWords } from '../text/model-tokens.ts'
import type { Embedder } from './embedder.ts'
import { addFeatures, addSymbols } from './features.ts'
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
