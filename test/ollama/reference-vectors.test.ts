import { expect, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { createOllamaEmbedder } from '../../src/embed/ollama.ts'
import { referenceVectors } from '../support/reference-texts.ts'
import { realOllama } from './real-ollama.ts'

const ollama = await realOllama()
const model = ollama?.embedders.find((name) => name.startsWith('all-minilm'))

test.skipIf(model === undefined)(
  'all-minilm gives the vectors of its reference for accents, symbols and mixed texts',
  async () => {
    const embedder = await createOllamaEmbedder({ url: ollama!.url, model: model!, log: silentLogger })
    try {
      const expected = referenceVectors()
      const vectors = await embedder.embedDocuments(expected.map(([text]) => ({ text, title: null })))
      for (const [i, [text, reference]] of expected.entries()) expect(cosine(vectors[i]!, reference), text).toBeGreaterThan(0.97)
      const most = expected.filter(([text]) => !/[“”’–]/u.test(text))
      for (const [text, reference] of most) expect(cosine(await embedder.embedQuery(text), reference), text).toBeGreaterThan(0.99)
    } finally {
      await embedder.close()
    }
  },
)

function cosine(a: Float32Array, b: Int8Array): number {
  const dot = a.reduce((sum, value, i) => sum + value * b[i]!, 0)
  return dot / Math.hypot(...a) / Math.hypot(...b)
}
