import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentEvent, type DocumentEvent } from '../../src/contract/documents.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
let listeners = 0
beforeAll(async () => {
  app = await startTestApp({
    change: ({ records }) => {
      const subscribe: typeof records.events.subscribe = (ownerId, listener) => {
        const stop = records.events.subscribe(ownerId, listener)
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

/** Reads events until `isEnough` returns true, and checks each event against the contract. */
async function listen(response: Response, isEnough: (events: DocumentEvent[]) => boolean): Promise<DocumentEvent[]> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const events: DocumentEvent[] = []
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
