import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '../../src/core/logger.ts'
import { createIndexStore } from '../../src/index/index-store.ts'
import { passageIndexConformance } from './passage-index.ts'

passageIndexConformance('segments over LanceDB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-index-'))
  return {
    store: createIndexStore({ dataDir: folder, log: silentLogger }),
    cleanUp: () => rm(folder, { recursive: true, force: true }),
  }
})
