import { expect, test } from 'vitest'
import type { IngestOptions } from '../../../src/ingest/context.ts'
import { describeQueue } from '../../../src/ingest/status.ts'

function describeWith(queued: number, { waitsFor = null as string | null, canEmbed = true } = {}) {
  const options = {
    records: { queue: { counts: async () => ({ queued, processing: 0, failed: 1, ready: 5 }) } },
    lifecycle: { active: () => ({ embedder: { canEmbed } }), choice: () => ({ reason: 'Ollama does not answer.' }) },
  } as unknown as IngestOptions
  return describeQueue(options, waitsFor)
}

test.each([
  ['an empty queue', describeWith(0, { waitsFor: 'x', canEmbed: false }), 'ok', 'The queue is empty.'],
  ['a queue that moves', describeWith(2), 'ok', 'Documents waiting: 2. In progress: 0.'],
  ['a full disk', describeWith(2, { waitsFor: 'The disk is full.' }), 'degraded', 'Processing waits: The disk is full.'],
  ['no embedder', describeWith(2, { canEmbed: false }), 'degraded', 'Processing waits: Ollama does not answer.'],
])('%s', async (_, described, status, message) => {
  expect(await described).toMatchObject({ status, message, failed: 1 })
})
