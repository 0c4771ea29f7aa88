import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { DocsearchError } from '../../../src/core/errors.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { createRetries } from '../../../src/core/retries.ts'
import { noTelemetry } from '../../../src/core/telemetry.ts'
import type { Extracted } from '../../../src/ingest/steps.ts'
import { Load } from '../../../src/ingest/load.ts'
import { indexInto, Worker, type WorkerParts } from '../../../src/ingest/worker.ts'
import { Changes, type Lifecycle, type OpenIndex } from '../../../src/lifecycle/lifecycle.ts'
import type { QueuedDocument } from '../../../src/records/queue.ts'
import { errorCode } from '../../support/codes.ts'
import { until } from '../../support/until.ts'

const jobOf = (documentId: string, attempts = 0, ownerId = 'usr_1') =>
  ({ documentId, version: 1, attempts, document: { ownerId } }) as QueuedDocument
const openIndex = (canEmbed = true) => ({ embedder: { canEmbed } }) as OpenIndex

/** A worker over a queue in memory. Reading a document named `bad` fails; indexing goes on until `endIndexing`, or until it is aborted. */
function newWorker(queued: QueuedDocument[]) {
  const events: string[] = []
  /** Documents that are claimed, but that nobody works on. */
  const lost: QueuedDocument[] = []
  let losesAnswer = false
  const changes = new Changes()
  const indexing = Promise.withResolvers<void>()
  let active: OpenIndex | null = openIndex()
  const stopping = new AbortController()
  const steps = {
    async extract({ documentId }: QueuedDocument): Promise<Extracted> {
      if (documentId === 'bad') throw new DocsearchError('corrupt', 'unreadable')
      return { title: null, tags: [], pages: [], chars: 1 }
    },
    async index({ documentId }: QueuedDocument, _: Extracted, __: OpenIndex, signal: AbortSignal) {
      events.push(`${documentId} indexing`)
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
      await Promise.race([indexing.promise, aborted])
      events.push(`${documentId} ready`)
    },
  }
  const lifecycle = {
    active: () => active,
    onChange: (listener: () => void) => changes.onChange(listener),
    waitFor: <T>(find: () => T | null, signal: AbortSignal) => changes.waitFor(find, signal),
  } as unknown as Lifecycle
  const parts = {
    claim: async (limit: number, { except = [] }: { except?: readonly string[] } = {}) => {
      const claimed = queued.filter(({ document }) => !except.includes(document.ownerId)).slice(0, limit)
      for (const job of claimed) queued.splice(queued.indexOf(job), 1)
      if (losesAnswer) {
        losesAnswer = false
        lost.push(...claimed)
        throw new DocsearchError('database_busy', 'no answer')
      }
      return claimed
    },
    records: {
      queue: {
        fail: async ({ documentId }: QueuedDocument, { code }: { code: string }) =>
          void events.push(`${documentId} failed: ${code}`),
        release: async ({ documentId }: QueuedDocument) => void events.push(`${documentId} released`),
        async requeueLost(inProgress: readonly string[]) {
          for (const id of inProgress) if (lost.length > 0) events.push(`${id} in progress`)
          queued.push(...lost.splice(0))
        },
      },
    },
    extract: steps.extract,
    index: indexInto(lifecycle, steps),
    clock: systemClock,
    log: silentLogger,
    telemetry: noTelemetry,
    retries: createRetries(silentLogger, stopping.signal),
    load: new Load(2),
    stopping,
    onFailed: () => events.push('passages of failed documents deleted'),
  } as unknown as WorkerParts
  const worker = new Worker(parts)
  onTestFinished(async () => {
    indexing.resolve()
    await worker.stop(1_000)
  })
  return {
    worker,
    events,
    queued,
    lost,
    loseNextAnswer: () => (losesAnswer = true),
    endIndexing: () => indexing.resolve(),
    switchTo(next: OpenIndex | null) {
      active = next
      changes.announce()
    },
  }
}

test('claims what is in the queue, and is idle again when nothing is left', async () => {
  const { worker, events, endIndexing } = newWorker([jobOf('a'), jobOf('b')])
  expect(worker.state).toBe('idle')
  endIndexing()
  worker.nudge()
  expect(worker.state).toBe('claiming')
  await until('both to be ready', () => events.filter((event) => event.endsWith('ready')).length === 2)
  await until('the worker to be idle', () => worker.state === 'idle')
})

test('a nudge while it claims makes it claim once more', async () => {
  const { worker, events, queued, endIndexing } = newWorker([])
  endIndexing()
  worker.nudge()
  queued.push(jobOf('late'))
  worker.nudge()
  await until('the late document', () => events.includes('late ready'))
})

test('continues with documents whose claim had no answer, and with those of an earlier worker', async () => {
  const { worker, events, queued, lost, loseNextAnswer, endIndexing } = newWorker([jobOf('a')])
  lost.push(jobOf('earlier'))
  worker.nudge()
  await until('both to be indexed', () => events.includes('a indexing') && events.includes('earlier indexing'))
  loseNextAnswer()
  queued.push(jobOf('unanswered'))
  worker.nudge()
  await until('the third document', () => events.includes('unanswered indexing'))
  expect(events).toEqual(expect.arrayContaining(['a in progress', 'earlier in progress']))
  endIndexing()
})

test('a document that cannot be read fails, and the others go on', async () => {
  const { worker, events, endIndexing } = newWorker([jobOf('bad'), jobOf('a')])
  endIndexing()
  worker.nudge()
  await until('both to end', () => events.includes('a ready') && events.length === 4)
  expect(events.slice(0).toSorted()).toEqual([
    'a indexing',
    'a ready',
    `bad failed: ${errorCode('corrupt')}`,
    'passages of failed documents deleted',
  ])
})

test('gives up a document that the server has died over ten times', async () => {
  const { worker, events } = newWorker([jobOf('deadly', 10)])
  worker.nudge()
  await until('it to fail', () => events.includes(`deadly failed: ${errorCode('crashed_daemon')}`))
})

test('waits for an index that can embed', async () => {
  const { worker, events, endIndexing, switchTo } = newWorker([jobOf('a')])
  switchTo(openIndex(false))
  endIndexing()
  worker.nudge()
  await until('the worker to be idle', () => worker.state === 'idle')
  expect(events).toEqual([])
  switchTo(openIndex())
  await until('it to be ready', () => events.includes('a ready'))
})

test('releases a document when another index becomes active', async () => {
  const { worker, events, switchTo } = newWorker([jobOf('a')])
  worker.nudge()
  await until('it to be indexed', () => events.includes('a indexing'))
  switchTo(openIndex())
  await until('it to be released', () => events.includes('a released'))
})

test('drains: the documents in progress end, and nothing more is claimed', async () => {
  const { worker, events, queued, endIndexing } = newWorker([jobOf('a')])
  worker.nudge()
  await until('it to be indexed', () => events.includes('a indexing'))
  const stopped = worker.stop(60_000)
  expect(worker.state).toBe('draining')
  queued.push(jobOf('late'))
  worker.nudge()
  endIndexing()
  await stopped
  expect([worker.state, events, queued.length]).toEqual(['stopped', ['a indexing', 'a ready'], 1])
})

test('releases the documents that do not end in time', async () => {
  const { worker, events } = newWorker([jobOf('a')])
  worker.nudge()
  await until('it to be indexed', () => events.includes('a indexing'))
  await worker.stop(20)
  expect([worker.state, events]).toEqual(['stopped', ['a indexing', 'a released']])
})

test("claims one document of a user who has none in progress, although another user's documents take all places", async () => {
  const { worker, events, queued } = newWorker(Array.from({ length: 40 }, (_, i) => jobOf(`a${i}`)))
  worker.nudge()
  await until('all places to be taken', () => worker.state === 'idle' && events.length >= 32)
  queued.push(jobOf('b0', 0, 'usr_2'), jobOf('b1', 0, 'usr_2'))
  worker.nudge()
  await until("the other user's document", () => events.includes('b0 indexing'))
  await until('the worker to be idle', () => worker.state === 'idle')
  expect(queued.map(({ documentId }) => documentId)).toEqual(expect.arrayContaining(['a39', 'b1']))
})
