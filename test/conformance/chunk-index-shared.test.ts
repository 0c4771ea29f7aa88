import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { createIndexStore } from '../../src/index/index-store.ts'
import { createMemoryTables } from '../support/memory-passage-table.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { chunkIndexConformance } from './chunk-index.ts'

let server: TestStore
beforeAll(async () => {
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server[Symbol.asyncDispose]()
})

chunkIndexConformance('segments in an object store over a table in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-index-'))
  const address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  let fence = 0
  const sharing = { address, takeLease: async () => ({ fence: ++fence }) }
  return {
    store: createIndexStore({ dataDir: folder, tables: createMemoryTables(), log: silentLogger, sharing }),
    cleanUp: () => rm(folder, { recursive: true, force: true }),
  }
})
