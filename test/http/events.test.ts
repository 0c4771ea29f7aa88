import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentEvent, missedEvents, type DocumentEvent, type MissedEvents } from '../../src/contract/documents.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
let listeners = 0
beforeAll(async () => {
  app = await startTestApp({
    change: ({ records }) => {
      const subscribe: typeof records.events.subscribe = (listener) => {
        const stop = records.events.subscribe(listener)
        listeners++
        return () => {
          listeners--
          stop()
        }
      }
      return { records: { ...records, events: { ...records.events, subscribe } } }
    },
  })
})
afterAll(() => app?.close())

/** What the last call of `listen` got instead of events. */
let missed: MissedEvents[] = []

/** Reads events until `isEnough` returns true, and checks each event against the contract. */
async function listen(response: Response, isEnough: (events: DocumentEvent[]) => boolean): Promise<DocumentEvent[]> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const events: DocumentEvent[] = []
  missed = []
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      if (lines['data'] === undefined) continue
      if (lines['event'] === 'events.missed') {
        missed.push(missedEvents.parse(JSON.parse(lines['data'])))
        continue
      }
      const event = documentEvent.parse(JSON.parse(lines['data']))
      expect([lines['id'], lines['event']]).toEqual([String(event.id), event.type])
      events.push(event)
    }
    if (isEnough(events)) break
  }
  return events
}

const isDone = (events: DocumentEvent[]) => events.some(({ type }) => type === 'document.ready')

test("a listener gets the new events of its user in order, and no other user's events", async () => {
  await app.alice.ready('before.txt', 'Before anybody listened.')
  const listening = app.alice.open('/api/v1/events')
  const response = await listening
  await app.bob.ready('of-bob.txt', 'A document of Bob.')
  const [events, id] = await Promise.all([listen(response, isDone), app.alice.ready('now.txt', 'While somebody listens.')])
  expect(events.map(({ type, document_id }) => [type, document_id])).toEqual([
    ['document.queued', id],
    ['document.processing', id],
    ['document.ready', id],
  ])
  expect(events.at(-1)?.data).toMatchObject({ status: 'ready' })
})

test('a listener resumes after the event ID in the header, or else in the parameter', async () => {
  const all = await listen(
    await app.alice.open('/api/v1/events?last_event_id=0'),
    (events) => events.filter(({ type }) => type === 'document.ready').length === 2,
  )
  expect(all).toHaveLength(6)
  const middle = all[2]!.id
  const rest = await listen(await app.alice.open('/api/v1/events', { 'Last-Event-ID': String(middle) }), isDone)
  expect(rest).toEqual(all.slice(3))
  const headerWins = await listen(
    await app.alice.open('/api/v1/events?last_event_id=0', { 'Last-Event-ID': String(middle) }),
    isDone,
  )
  expect(headerWins).toEqual(all.slice(3))
})

test('the IDs of events tell nothing about their order, so that nobody can count what others do', async () => {
  for (const name of ['1.txt', '2.txt', '3.txt']) await app.bob.ready(name, `Document ${name} of Bob.`)
  await app.alice.ready('after-bob.txt', 'After the documents of Bob.')
  const ready = ({ type }: DocumentEvent) => type === 'document.ready'
  const all = await listen(await app.alice.open('/api/v1/events?last_event_id=0'), (events) => events.filter(ready).length === 3)
  const ids = all.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).not.toEqual(ids.toSorted((a, b) => a - b))
  const distances = ids.slice(1).map((id, i) => Math.abs(id - ids[i]!))
  expect(Math.min(...distances)).toBeGreaterThan(1_000_000)
})

test('a listener that resumes after a trimmed event gets events.missed, and then the stored events', async () => {
  const all = await listen(await app.bob.open('/api/v1/events?last_event_id=0'), (events) => events.length === 12)
  await app.backend.records.events.trim(5)
  const resumed = await listen(await app.bob.open(`/api/v1/events?last_event_id=${all[2]!.id}`), (events) => events.length === 5)
  expect(missed).toEqual([{ id: all[6]!.id, type: 'events.missed', message: expect.stringContaining('List your documents') }])
  expect(resumed).toEqual(all.slice(7))
  // A listener that resumes where the notice left it has missed nothing.
  await listen(await app.bob.open(`/api/v1/events?last_event_id=${all[6]!.id}`), (events) => events.length === 5)
  expect(missed).toEqual([])
})

test('a stream starts with the ID of the event after which it continues', async () => {
  const id = await app.alice.ready('newest.txt', 'Nothing happens after this.')
  const isNewest = ({ type, document_id }: DocumentEvent) => type === 'document.ready' && document_id === id
  const all = await listen(await app.alice.open('/api/v1/events?last_event_id=0'), (events) => events.some(isNewest))
  const last = all.find(isNewest)
  const response = await app.alice.open('/api/v1/events')
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  expect(new TextDecoder().decode(value)).toBe(`retry: 2000\nid: ${last!.id}\n: listening\n\n`)
})

test('a user can have 20 streams open over all credentials, and a stream that ends makes room', async () => {
  const other = await app.aliceWith('read:documents')
  await until('the earlier streams to end', () => listeners === 0)
  const streams = await Promise.all(Array.from({ length: 20 }, (_, i) => openStream(i % 2 === 0 ? app.alice : other)))
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  for (let i = 0; i < 3; i++) {
    expect(await other.get('/api/v1/events')).toMatchObject({
      status: 429,
      body: { code: errorCode('too_many_streams'), limit: 20, detail: expect.stringContaining('limits.event_streams') },
    })
  }
  expect((await app.alice.call('HEAD', '/api/v1/events')).status).toBe(200)
  const ofBob = await openStream(app.bob)
  expect(ofBob.status).toBe(200)
  for (const stream of [streams[3]!, streams[8]!]) stream.close()
  const more = [await openWhenPossible(), await openWhenPossible()]
  expect((await app.alice.get('/api/v1/events')).status).toBe(429)
  for (const stream of [...streams, ...more, ofBob]) stream.close()
  await until('the listeners to be unsubscribed', () => listeners === 0)

  async function openWhenPossible() {
    return until('a stream that is not refused', async () => {
      const stream = await openStream(app.alice)
      return stream.status === 200 && stream
    })
  }
})

async function openStream({ key }: TestApp['alice']) {
  const controller = new AbortController()
  const headers = { Authorization: `Bearer ${key}` }
  const { status } = await fetch(`${app.url}/api/v1/events`, { headers, signal: controller.signal })
  return { status, close: () => controller.abort() }
}

test('a listener that disconnects is unsubscribed', async () => {
  await until('the earlier listeners to be unsubscribed', () => listeners === 0)
  const controller = new AbortController()
  const response = await fetch(`${app.url}/api/v1/events`, {
    headers: { Authorization: `Bearer ${app.alice.key}` },
    signal: controller.signal,
  })
  expect([response.status, listeners]).toEqual([200, 1])
  controller.abort()
  await until('the listener to be unsubscribed', () => listeners === 0)
})

test('an invalid event ID is 400', async () => {
  expect(await app.alice.get('/api/v1/events', { 'Last-Event-ID': 'abc' })).toMatchObject({
    status: 400,
    body: { code: errorCode('invalid_request') },
  })
  expect(await app.alice.get('/api/v1/events?last_event_id=-1')).toMatchObject({
    status: 400,
    body: { code: errorCode('invalid_request') },
  })
})

test('HEAD returns the headers and ends', async () => {
  const { status, headers } = await app.alice.call('HEAD', '/api/v1/events')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
})

test('the event stream ends when the instance stops', async () => {
  const stoppingApp = await startTestApp()
  try {
    const response = await stoppingApp.alice.open('/api/v1/events')
    stoppingApp.beginStop()
    expect(await response.text()).toContain(': listening')
  } finally {
    await stoppingApp.close()
  }
})
