import { createMemoryIndexStore } from '../support/memory-passage-index.ts'
import { passageIndexConformance } from './passage-index.ts'

passageIndexConformance('memory', async () => ({ store: createMemoryIndexStore(), cleanUp: async () => {} }))
