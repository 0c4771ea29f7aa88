import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '../../src/core/logger.ts'
import { createLanceIndexStore } from '../../src/index/lance.ts'
import { chunkIndexConformance } from './chunk-index.ts'

chunkIndexConformance('LanceDB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-index-'))
  return {
    store: createLanceIndexStore({ folder: join(folder, 'lance'), log: silentLogger }),
    cleanUp: () => rm(folder, { recursive: true, force: true }),
  }
})
