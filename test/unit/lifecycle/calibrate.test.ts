import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { createIndexStore } from '../../../src/index/index-store.ts'
import { calibrate } from '../../../src/lifecycle/drift.ts'
import { followIndexes } from '../../../src/lifecycle/follow.ts'
import { startLifecycle } from '../../../src/lifecycle/start.ts'
import type { ModelMeasurements } from '../../../src/records/indexes.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/until.ts'

/** A model on a server whose vectors all have much in common, as those of some models do. */
function narrow(): { embedder: Embedder; questions: () => number } {
  const builtin = createBuiltinEmbedder()
  let asked = 0
  const shifted = (vector: Float32Array): Float32Array => {
    const whole = Float32Array.of(...vector, 1)
    return whole.map((value) => value / Math.SQRT2)
  }
  const embedder: Embedder = {
    ...builtin,
    name: 'ollama:narrow',
    isExternal: true,
    fingerprint: 'narrow@1',
    dimensions: builtin.dimensions + 1,
    noiseFloor: () => null,
    embedDocuments: async (inputs) => (await builtin.embedDocuments(inputs)).map((vector) => vector && shifted(vector)),
    embedQuery: async (query) => (asked++, shifted(await builtin.embedQuery(query))),
  }
  return { embedder, questions: () => asked }
}

async function start(folder: string, embedder: Embedder) {
  const records = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock: systemClock, log: silentLogger })
  const indexStore = createIndexStore({ dataDir: folder, log: silentLogger })
  const chooseEmbedder = async () => ({ embedder, reason: 'the reason' })
  const lifecycle = await startLifecycle({ records, indexStore, chooseEmbedder, log: silentLogger })
  const close = async () => {
    await lifecycle.close()
    await records.close()
  }
  return { records, lifecycle, close }
}

test('measures the mean and the spread of unrelated texts', async () => {
  const { signal } = new AbortController()
  const unrelatedSimilarity = await calibrate(narrow().embedder, signal)
  const ownSimilarity = await calibrate(createBuiltinEmbedder(), signal)
  expect(ownSimilarity!.mean).toBeLessThan(0.1)
  expect(unrelatedSimilarity!.mean).toBeCloseTo(0.5 + ownSimilarity!.mean / 2, 3)
  expect(unrelatedSimilarity!.deviation).toBeCloseTo(ownSimilarity!.deviation / 2, 3)
})

test('a new index gets the measurement once, and keeps it over a restart', async () => {
  const folder = await tempFolder()
  const first = narrow()
  const one = await start(folder, first.embedder)
  await until('the measurement', () => one.lifecycle.active()!.unrelatedSimilarity !== null)
  const { unrelatedSimilarity } = one.lifecycle.active()!
  expect(first.questions()).toBeGreaterThan(0)
  await one.close()
  const second = narrow()
  const other = await start(folder, second.embedder)
  onTestFinished(other.close)
  expect(other.lifecycle.active()!.unrelatedSimilarity).toEqual(unrelatedSimilarity)
  expect(second.questions()).toBe(0)
})

test('an index of an earlier version keeps its canary vectors and gets the measurement', async () => {
  const folder = await tempFolder()
  const one = await start(folder, narrow().embedder)
  await until('the measurement', () => one.lifecycle.active()!.unrelatedSimilarity !== null)
  const { id } = one.lifecycle.active()!.record
  const { canaries, unrelatedSimilarity } = (await one.records.indexes.measurements(id))!
  await one.close()
  const db = new DatabaseSync(join(folder, 'docsearch.db'))
  db.prepare('update generations set canaries = ?').run(JSON.stringify(canaries.map((vector) => [...vector])))
  db.close()
  const other = await start(folder, narrow().embedder)
  onTestFinished(other.close)
  await until('the measurement', () => other.lifecycle.active()!.unrelatedSimilarity !== null)
  expect(await other.records.indexes.measurements(id)).toEqual({ canaries, unrelatedSimilarity })
})

test.each([
  ['nothing', () => null],
  ['only the canary vectors', (whole: ModelMeasurements) => ({ ...whole, unrelatedSimilarity: null })],
])('a process that only reads an index gets the measurement later if at first %s is stored', async (_, first) => {
  const folder = await tempFolder()
  const one = await start(folder, narrow().embedder)
  await until('the measurement', () => one.lifecycle.active()!.unrelatedSimilarity !== null)
  const { unrelatedSimilarity, record, index } = one.lifecycle.active()!
  const measurements = (await one.records.indexes.measurements(record.id))!
  let isMeasured = false
  const following = await followIndexes({
    records: { indexes: { ...one.records.indexes, measurements: async () => (isMeasured ? measurements : first(measurements)) } },
    indexStore: { open: async () => index, size: async () => 0 },
    versions: { of: async () => 1, grow: async () => {}, newestCommit: async () => 0, noteCommit: async () => {} },
    reports: { read: async () => null },
    modelRequests: { newest: async () => null, make: async () => true, answer: async () => {}, withdraw: async () => {} },
    isWorking: async () => true,
    chooseEmbedder: async () => ({ embedder: narrow().embedder, reason: 'the reason' }),
    log: silentLogger,
  })
  onTestFinished(async () => {
    await following.close()
    await one.records.close()
  })
  expect(following.active()!.unrelatedSimilarity).toBeNull()
  isMeasured = true
  await until('the measurement', () => following.active()!.unrelatedSimilarity !== null)
  expect(following.active()!.unrelatedSimilarity).toEqual(unrelatedSimilarity)
})
