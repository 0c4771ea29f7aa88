import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentEvent } from '../contract/documents.ts'
import { ClientError } from './errors.ts'
import { failureOf } from './transport.ts'
import type { Transport } from './transport.ts'

export interface EventOptions {
  /** Continues after this event; without it, starts with new events. */
  lastEventId?: number
  signal?: AbortSignal
  /** How often to try to connect for the first time. Without it, until it works. A connection that breaks later is always renewed. */
  firstAttempts?: number
  /** Called each time the stream is connected. Changes before the first call may be missed. */
  onOpen?: () => void
  /** Called when the instance no longer stores all events since the last one. Ask it for the documents again. */
  onMissed?: () => void
}

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
// The instance counts requests by the minute.
const MAX_ASKED_PAUSE_MS = 60_000
// Longer than the instance's heartbeat, so a connection that stays silent is broken.
const IDLE_MS = 60_000

/**
 * Yields changes of the caller's documents as they happen. Reconnects and continues after the last event; ends when `signal` aborts.
 * Throws ClientError for a failure that a retry can't solve (4xx except 429).
 */
export async function* readEvents(transport: Transport, options: EventOptions): AsyncGenerator<DocumentEvent> {
  let lastId = options.lastEventId
  let pause = FIRST_PAUSE_MS
  let attemptsLeft = options.firstAttempts ?? Infinity
  while (options.signal?.aborted !== true) {
    try {
      const headers = lastId === undefined ? {} : { 'Last-Event-ID': String(lastId) }
      const answer = await transport.open({
        method: 'GET',
        path: '/api/v1/events',
        accept: 'text/event-stream',
        headers,
        signal: options.signal,
        idleMs: IDLE_MS,
      })
      if (answer.headers['content-type']?.startsWith('text/event-stream') !== true) {
        answer.destroy()
        throw new ClientError('invalid_answer', `${transport.address} is not a docsearch server. Check the address.`)
      }
      attemptsLeft = Infinity
      options.onOpen?.()
      for await (const { id, data } of parseEvents(answer)) {
        lastId = id ?? lastId
        if (data === '') continue
        pause = FIRST_PAUSE_MS
        const event = eventOf(data)
        if (event === 'missed') options.onMissed?.()
        else yield event
      }
    } catch (error) {
      const failure = failureOf(error, transport.address, options.signal)
      if (failure.code === 'aborted') return
      if (failure.status >= 300 && failure.status < 500 && failure.status !== 429) throw failure
      if (failure.code === 'invalid_answer' || --attemptsLeft <= 0) throw failure
      pause = Math.max(pause, Math.min((failure.retryAfter ?? 0) * 1000, MAX_ASKED_PAUSE_MS))
    }
    await sleep(pause, undefined, options.signal === undefined ? {} : { signal: options.signal }).catch(() => {
      // Aborted while waiting: the loop's condition ends it.
    })
    pause = Math.min(pause * 2, MAX_PAUSE_MS)
  }
}

/**
 * Parses server-sent events (HTML standard). Ignores comments, which serve as heartbeats, and unknown fields. A block without
 * data can still have an ID.
 */
async function* parseEvents(source: AsyncIterable<Uint8Array>): AsyncGenerator<{ id: number | undefined; data: string }> {
  const decoder = new TextDecoder()
  let buffer = ''
  let data: string[] = []
  let id: number | undefined
  for await (const part of source) {
    buffer += decoder.decode(part, { stream: true })
    const lines = buffer.split(/\r\n|\n|\r(?!$)/)
    buffer = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      if (/^id: ?\d{1,15}$/.test(line)) id = Number(line.slice(3))
      if (line !== '') continue
      if (data.length > 0 || id !== undefined) yield { id, data: data.join('\n') }
      data = []
      id = undefined
    }
  }
}

function eventOf(text: string): DocumentEvent | 'missed' {
  try {
    const value = JSON.parse(text) as Partial<DocumentEvent>
    if (value.type === 'events.missed') return 'missed'
    if (typeof value.id === 'number' && typeof value.type === 'string' && typeof value.document_id === 'string')
      return value as DocumentEvent
  } catch {
    // The error below covers this too.
  }
  throw new ClientError('invalid_answer', 'The instance sent an invalid event.')
}
