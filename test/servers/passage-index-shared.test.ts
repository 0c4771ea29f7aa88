import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import type { PassageTableStore } from '../../src/index/passage-table.ts'
import { createSharedIndexStore } from '../../src/index/shared-index-store.ts'
import { createMemoryTables } from '../support/memory-passage-table.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { createWriterLeases } from '../support/writer-leases.ts'
import { passageIndexConformance } from '../conformance/passage-index.ts'

let server: TestStore
beforeAll(async () => {
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server[Symbol.asyncDispose]()
})

async function make(tables?: PassageTableStore) {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-index-'))
  const address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  const objects = await openStore(server, {}, address)
  const store = createSharedIndexStore({
    address,
    objects,
    cacheFolder: folder,
    leases: createWriterLeases().next(),
    newestVersion: null,
    onCommit: async () => {},
    log: silentLogger,
    ...(tables !== undefined && { tables }),
  })
  const cleanUp = async () => {
    objects.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { store, cleanUp }
}

passageIndexConformance('segments in an object store over a table in memory', () => make(createMemoryTables()))
passageIndexConformance('segments and LanceDB in an object store', () => make())
