import type { Embedder } from '../embed/embedder.ts'
import { knownModel } from '../embed/registry.ts'
import { cutToTokens } from '../text/model-tokens.ts'
import { SAMPLE_PASSAGES, cosine } from './reference-texts.ts'

export type CheckName = 'repeats' | 'meaning' | 'languages' | 'accents' | 'length'

export interface ModelCheck {
  check: CheckName
  /** `limited`: the model lacks something that not everybody needs. */
  result: 'passed' | 'limited' | 'failed'
  /** A sentence for the user. */
  message: string
}

export interface ModelTest {
  model: string
  /** Whether docsearch knows the prefixes and limits that the model was trained with. */
  isKnown: boolean
  dimensions: number
  /** The most tokens that a passage for this model has. */
  passageTokens: number
  tokensPerSecond: number
  /** How long one passage of ordinary length takes. */
  secondsPerPassage: number
  checks: ModelCheck[]
}

/** Questions in other words than the passage that answers them, by the place of the passage among the samples. */
const QUESTIONS: readonly (readonly [question: string, passage: number])[] = [
  ['when do I have to pay my landlord', 0],
  ['recipe for a simple cake', 1],
  ['did the company sell more than in the year before', 2],
  ['how do I ask for time off work', 8],
  ['how to clean a pullover', 11],
  ['when does the railway service depart', 14],
]
const FOREIGN_QUESTIONS: typeof QUESTIONS = [
  ['Wann muss ich die Miete bezahlen?', 0],
  ['comment laver un pull en laine', 11],
  ['receta de un pastel sencillo', 1],
  ['火车几点出发', 14],
]
const ENOUGH = 2 / 3

/** The same sentence with and without its accents. */
const ACCENTED = [
  ['Die Zürcher Behörde prüft den Antrag über das Gebäude.', 'Die Zurcher Behorde pruft den Antrag uber das Gebaude.'],
  ['Le résumé décrit les succès de cet élève âgé.', 'Le resume decrit les succes de cet eleve age.'],
] as const

const SAME = 0.9999
/** Two long texts whose ends differ are more alike than this only if the model did not read the ends. */
const UNREAD = 0.999_99
/** Room for the ends of the long texts. */
const END_TOKENS = 60
/** The length of an ordinary passage. */
const ORDINARY_TOKENS = 250
const MEASURED_PASSAGES = 32
const MEASURED_MS = 4_000

/**
 * Embeds samples with a model, and checks the vectors against what search needs. Throws as `embedDocuments` and `embedQuery` do. The first
 * call may have to load the model.
 */
export async function testModel(embedder: Embedder, signal: AbortSignal): Promise<ModelTest> {
  const samples = await embedAll(embedder, SAMPLE_PASSAGES, signal)
  const checks = [
    await checkRepeats(embedder, signal),
    await checkMeaning(embedder, samples, signal),
    await checkLanguages(embedder, samples, signal),
    await checkAccents(embedder, samples, signal),
    await checkLength(embedder, signal),
  ]
  return {
    model: embedder.name,
    isKnown: embedder.name === 'builtin' || knownModel(embedder.name.replace(/^ollama:/, '')) !== null,
    dimensions: embedder.dimensions,
    passageTokens: embedder.maxTokens,
    ...(await measureSpeed(embedder, signal)),
    checks,
  }
}

type Vectors = readonly (Float32Array | null)[]

function embedAll(embedder: Embedder, texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
  return embedder.embedDocuments(
    texts.map((text) => ({ text, title: null })),
    signal,
  )
}

async function checkRepeats(embedder: Embedder, signal: AbortSignal): Promise<ModelCheck> {
  const text = SAMPLE_PASSAGES[0]!
  const [first] = await embedAll(embedder, [text], signal)
  const [, again] = await embedAll(embedder, [SAMPLE_PASSAGES[1]!, text], signal)
  const similarity = similarityOf(first, again)
  return similarity >= SAME
    ? { check: 'repeats', result: 'passed', message: 'The same text gives the same vector.' }
    : {
        check: 'repeats',
        result: 'failed',
        message: `The same text gives different vectors (similarity ${similarity.toFixed(2)}), so the same search can give different results.`,
      }
}

async function checkMeaning(embedder: Embedder, samples: Vectors, signal: AbortSignal): Promise<ModelCheck> {
  const right = await countRight(embedder, QUESTIONS, samples, signal)
  const message = `It finds the passage that answers ${right} of ${QUESTIONS.length} questions in other words.`
  return { check: 'meaning', result: right >= ENOUGH * QUESTIONS.length ? 'passed' : 'failed', message }
}

async function checkLanguages(embedder: Embedder, samples: Vectors, signal: AbortSignal): Promise<ModelCheck> {
  const right = await countRight(embedder, FOREIGN_QUESTIONS, samples, signal)
  const message = `It finds the English passage that answers ${right} of ${FOREIGN_QUESTIONS.length} questions in other languages.`
  return { check: 'languages', result: right >= ENOUGH * FOREIGN_QUESTIONS.length ? 'passed' : 'limited', message }
}

/** Counts the questions whose passage is the nearest of all samples. */
async function countRight(
  embedder: Embedder,
  questions: typeof QUESTIONS,
  samples: Vectors,
  signal: AbortSignal,
): Promise<number> {
  let right = 0
  for (const [question, passage] of questions) {
    const vector = await embedder.embedQuery(question, signal)
    if (nearest(vector, samples) === passage) right++
  }
  return right
}

async function checkAccents(embedder: Embedder, samples: Vectors, signal: AbortSignal): Promise<ModelCheck> {
  const accented = await embedAll(
    embedder,
    ACCENTED.map(([text]) => text),
    signal,
  )
  const plain = await embedAll(
    embedder,
    ACCENTED.map(([, text]) => text),
    signal,
  )
  const isUndisturbed = accented.every(
    (vector, i) => vector !== null && nearest(vector, [...samples, plain[i]!]) === samples.length,
  )
  return isUndisturbed
    ? { check: 'accents', result: 'passed', message: 'Accented letters do not disturb it.' }
    : {
        check: 'accents',
        result: 'failed',
        message: 'Accented letters disturb it, so it is of little use for German, French and many other languages.',
      }
}

async function checkLength(embedder: Embedder, signal: AbortSignal): Promise<ModelCheck> {
  const { maxTokens } = embedder
  const count = (text: string) => embedder.countTokens(text)
  const long = cutToTokens(
    SAMPLE_PASSAGES.join(' ').repeat(Math.ceil(maxTokens / 100)),
    Math.max(1, maxTokens - END_TOKENS),
    count,
  )
  const [one, other] = await embedAll(embedder, [`${long} ${SAMPLE_PASSAGES[0]}`, `${long} ${SAMPLE_PASSAGES[1]}`], signal)
  if (!one || !other) return { check: 'length', result: 'failed', message: `It refuses passages of ${maxTokens} tokens.` }
  return similarityOf(one, other) < UNREAD
    ? { check: 'length', result: 'passed', message: `It reads passages of ${maxTokens} tokens to the end.` }
    : { check: 'length', result: 'failed', message: `It does not read passages of ${maxTokens} tokens to the end.` }
}

async function measureSpeed(
  embedder: Embedder,
  signal: AbortSignal,
): Promise<Pick<ModelTest, 'tokensPerSecond' | 'secondsPerPassage'>> {
  const began = performance.now()
  let passages = 0
  let tokens = 0
  while (passages < MEASURED_PASSAGES && performance.now() - began < MEASURED_MS) {
    // Each passage is another one, so that nothing can be remembered.
    const rotated = [...SAMPLE_PASSAGES.slice(passages % 24), ...SAMPLE_PASSAGES].join(' ').repeat(3)
    const text = cutToTokens(rotated, Math.min(ORDINARY_TOKENS, embedder.maxTokens), (part) => embedder.countTokens(part))
    await embedAll(embedder, [text], signal)
    passages++
    tokens += embedder.countTokens(text)
  }
  const seconds = (performance.now() - began) / 1000
  return { tokensPerSecond: tokens / seconds, secondsPerPassage: seconds / passages }
}

function similarityOf(a: Float32Array | null | undefined, b: Float32Array | null | undefined): number {
  return a && b ? cosine(a, b) : 0
}

function nearest(vector: Float32Array, among: Vectors): number {
  const similarities = among.map((other) => (other === null ? -1 : cosine(vector, other)))
  return similarities.indexOf(Math.max(...similarities))
}
