import { createBuiltinEmbedder } from '../../src/embed/builtin.ts'
import { embedderConformance } from './embedder.ts'

embedderConformance('builtin', async () => ({
  embedder: createBuiltinEmbedder(),
  again: async () => createBuiltinEmbedder(),
  unembeddable: '\u00AD\n\t',
  close: async () => {},
}))
