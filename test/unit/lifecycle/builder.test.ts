import pLimit from 'p-limit'
import { expect, onTestFinished, test } from 'vitest'
import { DocsearchError } from '../../../src/core/errors.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { DocumentRecord } from '../../../src/core/model.ts'
import { createRetries } from '../../../src/core/retries.ts'
import { Builder, type BuilderParts } from '../../../src/lifecycle/builder.ts'
import { Changes, type OpenIndex } from '../../../src/lifecycle/lifecycle.ts'
import { until } from '../../support/until.ts'

/** A builder over records and an index in memory. */
function newBuilder(ready: string[]) {
  const changes = new Changes()
  const events: string[] = []
  const done = new Set<string>()
  const stopping = new AbortController()
  let building: OpenIndex | null = null
  let failure: Error | null = null
  let mayBeSwitched = true
  let doesModelAnswer = true
  let canRestart = true
  const index = {
    inventory: async () => new Map(),
    put: async (documents: { documentId: string }[]) => {
      if (failure) throw failure
      events.push(`put ${documents.map(({ documentId }) => documentId).join()}`)
    },
    optimize: async () => void events.push('optimised'),
    check: async () => ({ ok: true }),
  }
  const end = (event: string) => {
    events.push(event)
    building = null
    changes.announce()
  }
  const builder = new Builder({
    records: {
      indexes: {
        contents: async () => new Map(),
        forget: async () => {},
        missing: async (_: string, { after }: { after: string }) =>
          ready.filter((id) => id > after && !done.has(id)).map((id) => ({ id, version: 1, chunkCount: 1 }) as DocumentRecord),
        wanted: async (jobs: { documentId: string }[]) => new Set(jobs.map(({ documentId }) => documentId)),
        record: async (_: string, entries: { documentId: string }[]) => entries.forEach(({ documentId }) => done.add(documentId)),
      },
      documents: { pages: async () => [] },
      queue: { unknown: async () => [] },
    },
    preparePassages: async ({ id }: DocumentRecord) => {
      if (id === 'large') throw new DocsearchError('out_of_memory', 'too large')
      return { passages: [{}], chunksSkipped: 0, warnings: [] }
    },
    lifecycle: {
      building: () => building,
      onChange: (listener: () => void) => changes.onChange(listener),
      waitFor: <T>(find: () => T | null, signal: AbortSignal) => changes.waitFor(find, signal),
      switchOver: async () => {
        if (mayBeSwitched) end('switched')
        return mayBeSwitched
      },
      checkVectors: async () => (doesModelAnswer ? undefined : new Promise<never>(() => {})),
      restartBuilding: async () => {
        if (!canRestart) throw new DocsearchError('model_unusable', 'Ollama does not answer.')
        end('restarted')
      },
    },
    exclusive: pLimit(1),
    retries: createRetries(silentLogger, stopping.signal),
    log: silentLogger,
    areUploadsStuck: () => false,
    stopping,
  } as unknown as BuilderParts)
  builder.start()
  onTestFinished(() => builder.stop())
  return {
    builder,
    events,
    done,
    ready,
    begin(id = 'gen_1') {
      building = { record: { id }, embedder: { name: 'm' }, index } as unknown as OpenIndex
      changes.announce()
    },
    cancel: () => end('cancelled'),
    failWith: (error: Error | null) => (failure = error),
    allowSwitch: (isAllowed: boolean) => (mayBeSwitched = isAllowed),
    allowRestart: (isAllowed: boolean) => (canRestart = isAllowed),
    hangModel: () => (doesModelAnswer = false),
  }
}

test('waits until an index is being built, adds every document, optimises and switches', async () => {
  const { builder, events, begin } = newBuilder(['a', 'b'])
  await until('it to wait', () => builder.state === 'waiting')
  begin()
  await until('it to switch', () => events.includes('switched'))
  expect(events).toEqual(['put a,b', 'optimised', 'switched'])
  await until('it to wait again', () => builder.state === 'waiting')
  expect(builder.reason()).toBeNull()
})

test('adds what was uploaded before the switch was possible', async () => {
  const { builder, events, ready, begin, allowSwitch } = newBuilder(['a'])
  allowSwitch(false)
  begin()
  await until('it to try the switch', () => builder.state === 'switching')
  ready.push('b')
  await until('the new document', () => events.includes('put b'))
  allowSwitch(true)
  await until('it to switch', () => events.includes('switched'))
})

test('sets a document aside that is too large, and adds the others', async () => {
  const { events, done, begin } = newBuilder(['a', 'large'])
  begin()
  await until('it to switch', () => events.includes('switched'))
  expect([...done]).toEqual(['a', 'large'])
  expect(events[0]).toBe('put a')
})

test('says why it failed and pauses, and ends the pause for another index', async () => {
  const { builder, events, begin, failWith } = newBuilder(['a'])
  failWith(new DocsearchError('index_failed', 'The index failed.'))
  begin()
  await until('it to fail', () => builder.state === 'failed')
  expect(builder.reason()).toBe('The index failed.')
  failWith(null)
  begin('gen_2')
  await until('it to switch', () => events.includes('switched'))
  expect(builder.reason()).toBeNull()
})

test('starts a damaged index again', async () => {
  const { events, begin, failWith } = newBuilder(['a'])
  failWith(new DocsearchError('index_corrupt', 'damaged'))
  begin()
  await until('it to restart', () => events.includes('restarted'))
})

test('a damaged index that cannot be started again is tried again', async () => {
  const { builder, begin, failWith, allowRestart } = newBuilder(['a'])
  allowRestart(false)
  failWith(new DocsearchError('index_corrupt', 'damaged'))
  begin()
  await until('it to fail', () => builder.state === 'failed')
  expect(builder.reason()).toBe('Ollama does not answer.')
})

test('stops in any state, and stays stopped', async () => {
  const { builder, begin, allowSwitch } = newBuilder(['a'])
  allowSwitch(false)
  begin()
  await until('it to try the switch', () => builder.state === 'switching')
  await builder.stop()
  expect(builder.state).toBe('stopped')
})

test('stops at once while a model does not answer', async () => {
  const { builder, begin, hangModel } = newBuilder(['a'])
  hangModel()
  begin()
  await until('it to wait for the model', () => builder.state === 'filling')
  await builder.stop()
  expect(builder.state).toBe('stopped')
})
