import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeOllama } from '../test/support/fake-ollama.ts'
import { makeModel } from '../test/support/fake-ollama-model.ts'
import { generatedText } from '../test/support/generated-text.ts'
import { startRealDaemon } from '../test/support/daemon.ts'
import { startRecordingProxy } from '../test/support/recording-proxy.ts'
import { rest } from '../test/support/rest.ts'
import { searchWhile } from '../test/support/search-while.ts'
import { type Figure, percentile, ratio } from './measure.ts'

export interface WhileEmbeddingOptions {
  /** Checkouts to measure in turns. Null is this one. */
  checkouts: readonly (string | null)[]
  model: string
  searches: number
}

/** What the fake Ollama does in a second, as all-minilm on one core. */
const FAKE_SPEED = 800
/** Of ten documents. Books take minutes on one core. */
const IS_SHORT = (number: number): boolean => number % 10 !== 9
const DOCUMENTS_BEFORE = 10
/** Longer texts are passages. */
const MAX_QUESTION_CHARS = 300

/** Measures searches on an idle instance and while it embeds documents, with the Ollama that OLLAMA_HOST names, otherwise with a fake one. */
export async function measureWhileEmbedding({ checkouts, ...options }: WhileEmbeddingOptions): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const checkout of checkouts) figures.push(...(await measureOne(checkout, options)))
  return figures
}

async function measureOne(
  checkout: string | null,
  { model, searches }: Omit<WhileEmbeddingOptions, 'checkouts'>,
): Promise<Figure[]> {
  const named = process.env.OLLAMA_HOST
  const fake = named === undefined ? await startFakeOllama([makeModel(model, { contextLength: 512 })]) : null
  fake?.speed(FAKE_SPEED)
  const proxy = await startRecordingProxy(fake?.url ?? (named!.includes('://') ? named! : `http://${named}`))
  const home = await mkdtemp(join(tmpdir(), 'docsearch-bench-'))
  const options = {
    home,
    args: ['--embedder', `ollama:${model}`, '--ollama', proxy.url, '--reranker', 'builtin', '--log-level', 'error'],
    ...(checkout !== null && { bin: join(checkout, 'bin/docsearch.js') }),
  }
  let daemon = await startRealDaemon(options)
  try {
    const token = await daemon.token()
    let instance = rest(daemon.url, token)
    const text = generatedText()
    const questions = text.questions(2 * searches, 100)
    const documents = Array.from({ length: 400 }, (_, i) => i).filter(IS_SHORT)
    const upload = async (numbers: number[]) => {
      const { status } = await instance.upload(numbers.map((number) => text.document(number)))
      if (status !== 202) throw new Error(`the upload was answered with ${status}`)
    }
    await upload(documents.splice(0, DOCUMENTS_BEFORE))
    await instance.settled(600_000)
    const idle = await searchWhile(instance, questions.slice(0, searches), () => true)
    // So that it does not know yet how fast the model is.
    await daemon.stop()
    daemon = await startRealDaemon(options)
    instance = rest(daemon.url, token)
    proxy.calls.splice(0)
    for (let i = 0; i < 10; i++) await upload(documents.splice(0, 20))
    const began = performance.now()
    const busy = await searchWhile(instance, questions.slice(searches), () => true)
    const seconds = (performance.now() - began) / 1000
    const ofPassages = proxy.calls.filter(({ chars }) => chars > MAX_QUESTION_CHARS)
    const batches = ofPassages.map(({ ms }) => ms)
    const passages = ofPassages.reduce((sum, { texts }) => sum + texts, 0)
    const batch = Math.round(percentile(batches, 0.5))
    const [idle95, busy95] = [percentile(idle.ms, 0.95), percentile(busy.ms, 0.95)]
    const round = (values: number[]) => [0.5, 0.95, 1].map((share) => Math.round(percentile(values, share))).join(', ')
    const what = `${model}, ${checkout ?? 'this checkout'}`
    return [
      {
        name: `${what}: hybrid searches while embedding`,
        value: `${busy.hybrid} of ${busy.ms.length} ${busy.reasons.join(' ')}`,
      },
      {
        name: `${what}: p95 of a search while embedding : idle`,
        value: `${ratio(busy95 / idle95)}, less one batch of ${batch} ms ${ratio((busy95 - batch) / idle95)} (p50, p95, max: ${round(busy.ms)} : ${round(idle.ms)} ms)`,
        bound: '≤ 3 and one batch',
      },
      {
        name: `${what}: batches, p50, p95, max`,
        value: `${round(batches)} ms; ${(passages / seconds).toFixed(1)} passages a second, ${batches.length} batches in ${Math.round(seconds)} s`,
      },
    ]
  } finally {
    await daemon.dispose()
    await proxy.close()
    await fake?.close()
  }
}
