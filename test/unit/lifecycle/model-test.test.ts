import { expect, test } from 'vitest'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { type CheckName, testModel } from '../../../src/lifecycle/model-test.ts'

const signal = new AbortController().signal

/** The built-in embedder with some of its methods replaced. */
function embedderWith(change: (real: Embedder) => Partial<Embedder>): Embedder {
  const real = createBuiltinEmbedder()
  return { ...real, ...change(real) }
}

async function resultsOf(embedder: Embedder): Promise<Record<CheckName, string>> {
  const { checks } = await testModel(embedder, signal)
  return Object.fromEntries(checks.map(({ check, result }) => [check, result])) as Record<CheckName, string>
}

test('a model that works passes, and one for English alone is limited', async () => {
  const tested = await testModel(createBuiltinEmbedder(), signal)
  expect(tested).toMatchObject({ model: 'builtin', isKnown: true, dimensions: 1024 })
  expect(tested.tokensPerSecond).toBeGreaterThan(0)
  expect(tested.secondsPerPassage).toBeGreaterThan(0)
  expect(await resultsOf(createBuiltinEmbedder())).toEqual({
    repeats: 'passed',
    meaning: 'passed',
    languages: 'limited',
    accents: 'passed',
    length: 'passed',
  })
})

test('a model that reads only the beginning of a text fails', async () => {
  const cut = embedderWith((real) => ({
    embedDocuments: (inputs, stop) =>
      real.embedDocuments(
        inputs.map(({ text, title }) => ({ text: text.slice(0, 500), title })),
        stop,
      ),
  }))
  expect(await resultsOf(cut)).toMatchObject({ length: 'failed', repeats: 'passed' })
})

test('a model that refuses long texts fails', async () => {
  const refuses = embedderWith((real) => ({
    embedDocuments: async (inputs, stop) =>
      (await real.embedDocuments(inputs, stop)).map((vector, i) => (inputs[i]!.text.length > 1500 ? null : vector)),
  }))
  expect(await resultsOf(refuses)).toMatchObject({ length: 'failed' })
})

test('a model whose vectors depend on the batch fails', async () => {
  const shifting = embedderWith((real) => ({
    embedDocuments: async (inputs, stop) =>
      (await real.embedDocuments(inputs, stop)).map(
        (vector) => vector && Float32Array.from(vector).fill(1 / 32, 0, inputs.length),
      ),
  }))
  expect(await resultsOf(shifting)).toMatchObject({ repeats: 'failed' })
})

test('a model for which accents are unknown letters fails, and so does one without meaning', async () => {
  const plain = embedderWith((real) => ({
    embedDocuments: (inputs, stop) =>
      real.embedDocuments(
        inputs.map(({ text, title }) => ({ text: /[ü]|[é]/.test(text) ? 'unk unk unk' : text, title })),
        stop,
      ),
  }))
  expect(await resultsOf(plain)).toMatchObject({ accents: 'failed', meaning: 'passed' })
  const empty = embedderWith((real) => ({ embedQuery: (_, stop) => real.embedQuery('anything at all', stop) }))
  expect(await resultsOf(empty)).toMatchObject({ meaning: 'failed', languages: 'limited' })
})
