import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '../../src/core/logger.ts'
import { createIndexStore } from '../../src/index/index-store.ts'
import { createMemoryTables } from '../support/memory-passage-table.ts'
import { passageIndexConformance } from './passage-index.ts'

passageIndexConformance('segments over a table in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-index-'))
  return {
    store: createIndexStore({ dataDir: folder, tables: createMemoryTables(), log: silentLogger }),
    cleanUp: () => rm(folder, { recursive: true, force: true }),
  }
})
