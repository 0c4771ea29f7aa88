import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { createIndexStore } from '../../../src/index/index-store.ts'
import type { Lifecycle } from '../../../src/lifecycle/lifecycle.ts'
import { startLifecycle } from '../../../src/lifecycle/start.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { errorCode } from '../../support/codes.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/until.ts'

/** The first of the texts whose vectors are stored with an index. */
const CANARY = 'The tenant pays the rent on the first working day of each month.'

/** Two servers of different versions behind one address, which answer in turn. */
function twoServers() {
  const builtin = createBuiltinEmbedder()
  let checks = 0
  const embedder = (name: string): Embedder => ({
    ...builtin,
    name,
    isExternal: true,
    fingerprint: `${name}@1`,
    noiseFloor: () => null,
    async embedDocuments(inputs, signal) {
      const vectors = await builtin.embedDocuments(inputs, signal)
      const isSecond = inputs[0]!.text === CANARY && ++checks % 2 === 0
      return isSecond ? vectors.map((vector) => vector && vector.map((value) => -value)) : vectors
    },
  })
  return { embedder, checks: () => checks }
}

interface Models {
  isThere: boolean
  embedder(name: string): Embedder
}

async function start(models: Models, first: string): Promise<Lifecycle> {
  const folder = await tempFolder()
  const records = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock: systemClock, log: silentLogger })
  const lifecycle = await startLifecycle({
    records,
    indexStore: createIndexStore({ dataDir: folder, log: silentLogger }),
    chooseEmbedder: async (_, named) => {
      const name = named ?? first
      if (name === 'builtin') return { embedder: createBuiltinEmbedder(), reason: '' }
      return { embedder: models.isThere ? models.embedder(name) : null, reason: 'It does not answer.' }
    },
    log: silentLogger,
  })
  onTestFinished(async () => {
    await lifecycle.close()
    await records.close()
  })
  return lifecycle
}

const buildingId = (lifecycle: Lifecycle) => lifecycle.building()!.record.id

test('one check embeds the canary texts once, even if the servers of a model return different vectors in turn', async () => {
  const { embedder, checks } = twoServers()
  const lifecycle = await start({ isThere: true, embedder }, 'ollama:m')
  await until('the measurement', () => lifecycle.active()!.unrelatedSimilarity !== null)
  await lifecycle.checkVectors()
  expect(checks()).toBe(2)
  expect(lifecycle.active()!.embedder.canEmbed).toBe(false)
})

test('a build does not begin again at every check if the servers of its model return different vectors in turn', async () => {
  const { embedder } = twoServers()
  const lifecycle = await start({ isThere: true, embedder }, 'builtin')
  await lifecycle.use('ollama:m')
  await until('the measurement', () => lifecycle.building()!.unrelatedSimilarity !== null)
  const first = buildingId(lifecycle)
  await lifecycle.checkVectors()
  const second = buildingId(lifecycle)
  expect(second).not.toBe(first)
  for (let i = 0; i < 4; i++) await lifecycle.checkVectors()
  expect(buildingId(lifecycle)).toBe(second)
})

test('a build that cannot begin again, because its model does not answer, stays', async () => {
  const models = { isThere: true, embedder: twoServers().embedder }
  const lifecycle = await start(models, 'builtin')
  await lifecycle.use('ollama:m')
  const id = buildingId(lifecycle)
  models.isThere = false
  await expect(lifecycle.restartBuilding(id, 'x')).rejects.toMatchObject({ code: errorCode('model_unusable') })
  expect(buildingId(lifecycle)).toBe(id)
})

test('a build that another one has replaced does not begin again', async () => {
  const lifecycle = await start({ isThere: true, embedder: twoServers().embedder }, 'builtin')
  await lifecycle.use('ollama:m')
  const former = buildingId(lifecycle)
  await lifecycle.use('ollama:other')
  const id = buildingId(lifecycle)
  await lifecycle.restartBuilding(former, 'x')
  expect(buildingId(lifecycle)).toBe(id)
})
