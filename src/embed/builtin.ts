import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANALYSER_VERSION, analyse, type Token } from '../text/analyse.ts'
import { countWords } from '../text/model-tokens.ts'
import type { Embedder } from './embedder.ts'
import { addFeatures, addSymbols } from './features.ts'
import { readModel, shippedModel } from './model/file.ts'
import { SHIPPED } from './model/shipped.ts'
import { createWordVectors, NO_WORD, type WordVectors } from './model/word-vectors.ts'
import { normalise } from './vectors.ts'

/** What text means stands in the first of them, hashed features of what the model does not know in the others. */
const MEANING = SHIPPED.dimensions
const FEATURES = 768
export const BUILTIN_DIMENSIONS = MEANING + FEATURES
/** Changes with every change of how the vectors below come about. */
const BUILTIN_VERSION = 2
/**
 * How much more than its share of the words the unknown counts. It is what a text is told by (names, rare terms), and from one half on a text is in
 * another language, or no language, and the few words that look known mislead. Mean nDCG@10 over five English collections .676 with 0, .680 with 1, .684 with 2.
 */
const UNKNOWN_WEIGHT = 2
/**
 * Of squared cosines, see fuse.ts. Mean nDCG@10 over five English collections, fused: .673 with 0, .679 with .2 to .4, .677 with .5. A question that
 * only hashed features tell (in another language, of nothing but names) is one whose words find as much: there .3 costs Japanese .006.
 */
const MEANING_WEIGHT = 0.3
const FEATURES_WEIGHT = 0.1
/** After so long other work gets its turn. */
const SLICE_MS = 5

/**
 * Vectors without anything to fetch: the shipped model says what English words mean, and hashed features stand for what it does not know: names,
 * numbers, other languages. `model`: its bytes, where another thread has read them. Throws DocsearchError `internal_error` when the model's file is
 * damaged; embedding itself never throws but when aborted.
 */
export function createBuiltinEmbedder(model: SharedArrayBuffer = shippedModel()): Embedder {
  const embed = embedWith(model)
  return {
    name: 'builtin',
    canEmbed: true,
    isExternal: false,
    sharedModel: model,
    dimensions: BUILTIN_DIMENSIONS,
    maxTokens: 512,
    fusionWeight: (question) => (hashedShare(question) > 0.99 ? FEATURES_WEIGHT : MEANING_WEIGHT),
    noiseFloor: nearestByChance,
    fingerprint: `builtin:${BUILTIN_VERSION}:${SHIPPED.name}${SHIPPED.version}:${SHIPPED.sha256.slice(0, 12)}:analyser${ANALYSER_VERSION}:${BUILTIN_DIMENSIONS}`,
    tokenCounter: 'words',
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
      return embed(query) ?? anyDirection()
    },
    async check() {
      return { ok: true, code: 'ok', message: 'The built-in embedder brings its model with it and is always ready.' }
    },
    async close() {},
  }
}

/**
 * Half the standard deviation of the cosine between questions and passages of different collections: who asks in quite other words is often hardly
 * nearer to the answer than chance would bring something, and a place too many costs less than the answer.
 */
const MEANING_DEVIATION = 0.045

/**
 * Texts that have nothing in common still have a cosine, about normally distributed around 0: the model's because all English is a little alike, that of
 * hashed features (by 1/√dimensions) because hashes collide. The largest of n such draws lies about √(2 ln n) deviations out, and hardly ever half a
 * deviation further.
 */
function nearestByChance(passages: number, question: Float32Array): number {
  const hashed = hashedShare(question)
  const deviation = Math.hypot((1 - hashed) * MEANING_DEVIATION, hashed / Math.sqrt(FEATURES))
  return (Math.sqrt(2 * Math.log(Math.max(2, passages))) + 0.5) * deviation
}

/** How much of a question is told by hashed features, 0 to 1. */
function hashedShare(question: Float32Array): number {
  let hashed = 0
  for (let i = MEANING; i < question.length; i++) hashed += question[i]! * question[i]!
  return Math.min(1, hashed)
}

/** The table is unpacked once a thread. */
const unpacked = new WeakMap<ArrayBufferLike, (text: string) => Float32Array | null>()

function embedWith(bytes: ArrayBufferLike): (text: string) => Float32Array | null {
  const known = unpacked.get(bytes)
  if (known !== undefined) return known
  const model = createWordVectors(readModel(bytes))
  const embed = (text: string) => vectorOf(text, model)
  unpacked.set(bytes, embed)
  return embed
}

/** Null for a text without a single visible character. */
function vectorOf(text: string, model: WordVectors): Float32Array | null {
  const vector = new Float32Array(BUILTIN_DIMENSIONS)
  const features = vector.subarray(MEANING)
  const tokens = analyse(text)
  const { places, telling, unknown, strange } = readWords(tokens, model)
  const meaning = strange < 1 ? model.meaningOf(places) : null
  if (meaning === null) {
    if (places.length === 0) addSymbols(features, text)
    else addFeatures(features, text, telling ? tokens.filter((token) => !token.stop) : tokens)
    return normalise(vector)
  }
  if (strange > 0) addFeatures(features, text, unknown)
  const share = normalise(features) === null ? 0 : strange
  const [ofMeaning, ofFeatures] = [Math.sqrt(1 - share), Math.sqrt(share)]
  for (let i = 0; i < MEANING; i++) vector[i] = meaning[i]! * ofMeaning
  for (let i = 0; i < FEATURES; i++) features[i]! *= ofFeatures
  return vector
}

interface Read {
  /** Of each word in the model, see `WordVectors.find`. */
  places: number[]
  /** Some of them carry a subject: those are its content, else all are. */
  telling: boolean
  /** Those of the content that the model does not know. */
  unknown: Token[]
  /** What the unknown count for, 0 to 1; numbers count for nothing: tables are full of them, and they do not say what a text is about. */
  strange: number
}

function readWords(tokens: readonly Token[], model: WordVectors): Read {
  const telling = tokens.some((token) => !token.stop)
  const places: number[] = []
  const unknown: Token[] = []
  let words = 0
  let strangers = 0
  for (const token of tokens) {
    const place = model.find(token.known)
    places.push(place)
    if (token.stop && telling) continue
    if (place !== NO_WORD) words++
    if (place >= 0) continue
    unknown.push(token)
    if (place !== NO_WORD) strangers++
  }
  return { places, telling, unknown, strange: words === 0 ? 1 : Math.min(1, (UNKNOWN_WEIGHT * strangers) / words) }
}

/** Every vector must have a direction; that of a question of nothing is no meaning. */
function anyDirection(): Float32Array {
  const vector = new Float32Array(BUILTIN_DIMENSIONS)
  vector[MEANING] = 1
  return vector
}
