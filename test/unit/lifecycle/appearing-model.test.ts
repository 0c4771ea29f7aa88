import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { createIndexStore } from '../../../src/index/index-store.ts'
import type { Lifecycle } from '../../../src/lifecycle/lifecycle.ts'
import { startLifecycle } from '../../../src/lifecycle/start.ts'
import type { Records } from '../../../src/records/records.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/until.ts'

const MODEL = { name: 'ollama:other', fingerprint: 'ollama:other@1#template1:8', dimensions: 8 }
const as = (change: Partial<Embedder>): Embedder => ({ ...createBuiltinEmbedder(), ...change })

/** An instance on which a model appears when `appear` is called. */
async function instance() {
  const folder = await tempFolder()
  const records = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock: systemClock, log: silentLogger })
  onTestFinished(() => records.close())
  let hasModel = false
  let asked = 0
  const start = async (pinned: string | null = null): Promise<Lifecycle> => {
    const lifecycle = await startLifecycle({
      records,
      indexStore: createIndexStore({ dataDir: folder, log: silentLogger }),
      // As `auto` does: the embedder of an index stays, and without one a model comes first.
      chooseEmbedder: async (existing, named) => {
        asked++
        const isBuiltin = named === 'builtin' || existing?.embeddingModel === 'builtin' || !hasModel
        return { embedder: isBuiltin ? as({}) : as(MODEL), reason: isBuiltin ? 'kept' : 'Ollama has other.' }
      },
      pinned,
      lookEveryMs: 5,
      log: silentLogger,
    })
    onTestFinished(() => lifecycle.close())
    return lifecycle
  }
  return { records, start, appear: () => (hasModel = true), asked: () => asked }
}

async function addDocument(records: Records): Promise<void> {
  const { id: uploaderId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  const { id: projectId } = await records.projects.create({ ownerId: uploaderId, name: 'default', description: '' })
  const place = { uploaderId, projectId, name: 'a', path: 'a', tags: [] }
  await records.documents.register({ ...place, mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64) }, 'replace')
}

test('an instance without documents uses a model that appears later', async () => {
  const { records, start, appear } = await instance()
  const lifecycle = await start()
  expect(lifecycle.active()?.embedder.name).toBe('builtin')
  appear()
  await until('the other model', () => lifecycle.active()?.embedder.name === 'ollama:other')
  expect(lifecycle.choice()).toEqual({ embedder: 'ollama:other', reason: 'Ollama has other.' })
  expect(await records.indexes.active()).toMatchObject({ embeddingModel: 'ollama:other', dimensions: 8 })
  expect((await lifecycle.status()).index.message).not.toContain('rebuilt')
})

test('the next start uses it, too', async () => {
  const { start, appear } = await instance()
  await (await start()).close()
  appear()
  const lifecycle = await start()
  expect(lifecycle.active()?.embedder.name).toBe('ollama:other')
})

test.each(['documents', 'a choice of the user'])('an instance with %s keeps its embedder', async (what) => {
  const { records, start, appear, asked } = await instance()
  if (what === 'documents') await addDocument(records)
  const lifecycle = await start(what === 'documents' ? null : 'builtin')
  const before = asked()
  appear()
  // Changes nothing, and asks Ollama for nothing either.
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(lifecycle.active()?.embedder.name).toBe('builtin')
  expect(asked()).toBe(before)
})
