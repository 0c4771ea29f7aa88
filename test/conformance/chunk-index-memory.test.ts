import { createMemoryIndexStore } from '../support/memory-chunk-index.ts'
import { chunkIndexConformance } from './chunk-index.ts'

chunkIndexConformance('memory', async () => ({ store: createMemoryIndexStore(), cleanUp: async () => {} }))
