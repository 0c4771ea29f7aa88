import { expect, test } from 'vitest'
import type { DocumentEvent } from '../../../src/core/model.ts'
import { formatEvents } from '../../../src/http/api/events/routes.ts'
import type { Events } from '../../../src/records/records.ts'
import { actorOf } from '../../../src/services/access.ts'
import { createEvents } from '../../../src/services/events.ts'

const actor = actorOf({ id: 'usr_a', role: 'member' })

function listen(options: {
  events: Events
  afterId: number | null
  signal: AbortSignal
  heartbeatMs?: number
}): AsyncGenerator<string> {
  const { events, heartbeatMs, ...settings } = options
  const service = createEvents({
    records: { events },
    access: { toHear: async () => new Set(['prj_a']) },
    ...(heartbeatMs !== undefined && { heartbeatMs }),
  })
  return formatEvents(service.follow(actor, settings))
}

function table(length: number): Events & { reads: number } {
  const rows = Array.from({ length }, (_, i): DocumentEvent => ({
    id: i + 1,
    documentId: 'doc_a',
    projectId: 'prj_a',
    type: 'document.ready',
    data: {},
    createdAt: new Date(0),
  }))
  return {
    reads: 0,
    async since(_projects, afterId, limit) {
      this.reads++
      return rows.filter(({ id }) => id > afterId).slice(0, limit)
    },
    latestId: async () => length,
    resumeAfter: async (_projects, id) => ({ afterId: Math.min(id, length), hasMissed: id > length }),
    subscribe: () => () => {},
    trim: async () => {},
    key: async () => 'a key',
  }
}

test('reads no events ahead of a slow listener', async () => {
  const events = table(1000)
  const leave = new AbortController()
  const stream = listen({ events, afterId: 0, signal: leave.signal })
  for (let i = 0; i < 101; i++) await stream.next()
  expect(events.reads).toBe(1)
  await stream.next()
  expect(events.reads).toBe(2)
  await stream.return(undefined)
})

test('sends heartbeats while there are no events, and ends when the signal aborts', async () => {
  const leave = new AbortController()
  const stream = listen({ events: table(0), afterId: null, signal: leave.signal, heartbeatMs: 1 })
  const texts: string[] = []
  for await (const text of stream) {
    texts.push(text)
    if (texts.length === 3) leave.abort()
  }
  expect(texts).toEqual(['retry: 2000\nid: 0\n: listening\n\n', ': heartbeat\n\n', ': heartbeat\n\n'])
})

test('ends between two events when the signal aborts', async () => {
  const leave = new AbortController()
  const stream = listen({ events: table(50), afterId: 0, signal: leave.signal })
  const texts: string[] = []
  for await (const text of stream) {
    texts.push(text)
    if (texts.length === 3) leave.abort()
  }
  expect(texts).toHaveLength(3)
})
