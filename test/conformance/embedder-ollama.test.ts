import { silentLogger } from '../../src/core/logger.ts'
import { createOllamaEmbedder } from '../../src/embed/ollama.ts'
import { makeModel } from '../support/fake-ollama-model.ts'
import { startFakeOllama } from '../support/fake-ollama.ts'
import { embedderConformance } from './embedder.ts'

const models = [
  makeModel('embeddinggemma', { dimensions: 768, contextLength: 2048 }),
  makeModel('all-minilm'),
  makeModel('someone/unheard-of', { dimensions: 96 }),
]

for (const { name } of models) {
  embedderConformance(`ollama:${name}`, async () => {
    const fake = await startFakeOllama(models)
    fake.poison('unutterable')
    const make = () => createOllamaEmbedder({ url: fake.url, model: name, log: silentLogger })
    return {
      embedder: await make(),
      again: make,
      unembeddable: 'An unutterable passage.',
      close: () => fake.close(),
    }
  })
}
