import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  documentEvent,
  eventQuery,
  missedEvents,
  type DocumentEvent as WireEvent,
  type MissedEvents,
} from '../../../contract/documents.ts'
import { invalid } from '../../../contract/validate.ts'
import { connectionClosed, type Ctx } from '../../routing/context.ts'
import type { AppParts } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import type { Actor } from '../../../services/access.ts'
import { MAX_EVENTS, type Events } from '../../../services/events.ts'
import type { DocumentEvent } from '../../../core/model.ts'

export type EventParts = Pick<AppParts, 'events' | 'openStreams'>

export const eventRoutes = (parts: EventParts): Route[] => [
  route({
    operationId: 'listenToEvents',
    method: 'GET',
    path: '/api/v1/events',
    cost: 'streaming',
    tag: 'Events',
    summary: 'Follow the status of your documents',
    description: [
      'Server-sent events: `document.queued`, `.processing`, `.ready`, `.failed`, `.deleted`. If the connection breaks, send the last ID as `Last-Event-ID` (or `last_event_id`), and you miss no event. Without it, the stream starts with new events.',
      `The newest ${MAX_EVENTS} events of each of your projects are stored. If an event after your \`Last-Event-ID\` is no longer stored, the first event is \`events.missed\` (MissedEvents): list your documents again.`,
      'A comment every 15 seconds keeps the connection open. The stream ends when the instance stops, and within a second when the credential ends. A user can have 20 streams open (`limits.event_streams`).',
    ].join(' '),
    access: 'read:documents',
    query: eventQuery,
    problems: ['too_many_streams'],
    headers: { 'Last-Event-ID': { description: 'ID of the last event that you received', example: '42' } },
    answers: {
      200: {
        description: 'Events; `data` is a DocumentEvent or MissedEvents',
        type: 'text/event-stream',
        schema: z.union([documentEvent, missedEvents]),
      },
    },
    async handle({ ctx, actor, query, ending }) {
      sendEvents(parts, ctx, actor, query, ending)
    },
  }),
]

/** Sends events until the signal aborts. A listener that sends the ID of its last event misses none. */
export function sendEvents(
  { events, openStreams }: EventParts,
  ctx: Ctx,
  actor: Actor,
  { last_event_id }: z.output<typeof eventQuery>,
  ending: AbortSignal,
): void {
  const afterId = lastEventId(ctx) ?? last_event_id ?? null
  if (ctx.method !== 'HEAD') openStreams.add(actor.userId, connectionClosed(ctx))
  ctx.set('Content-Type', 'text/event-stream; charset=utf-8')
  // Tells a reverse proxy not to buffer events.
  ctx.set('X-Accel-Buffering', 'no')
  ctx.status = 200
  if (ctx.method === 'HEAD') return
  ctx.body = Readable.from(formatEvents(events.follow(actor, { afterId, signal: ending })), { objectMode: false })
  // Koa replaced the type when it got a stream.
  ctx.set('Content-Type', 'text/event-stream; charset=utf-8')
}

function lastEventId(ctx: Ctx): number | null {
  const header = ctx.get('Last-Event-ID')
  if (header === '') return null
  if (!/^\d{1,15}$/.test(header)) throw invalid([{ path: 'Last-Event-ID', message: 'must be the ID of an event (digits)' }])
  return Number(header)
}

const RETRY_MS = 2000

/** Writes events as server-sent events. JSON has no raw line breaks, so one data line is enough. */
export async function* formatEvents(events: ReturnType<Events['follow']>): AsyncGenerator<string> {
  for await (const event of events) {
    // With this id, a listener can resume without a gap even if the connection breaks before the first event.
    if (event.type === 'listening') yield `retry: ${RETRY_MS}\nid: ${event.lastId}\n: listening\n\n`
    else if (event.type === 'heartbeat') yield ': heartbeat\n\n'
    else yield format(event.type === 'missed' ? presentMissed(event.lastId) : presentEvent(event))
  }
}

function format(event: WireEvent | MissedEvents): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function presentMissed(lastId: number): MissedEvents {
  return {
    id: lastId,
    type: 'events.missed',
    message:
      'Some events after your Last-Event-ID are no longer stored. List your documents to see their status. The stream continues from here.',
  }
}

function presentEvent(event: DocumentEvent): WireEvent {
  return {
    id: event.id,
    type: event.type,
    document_id: event.documentId,
    project_id: event.projectId,
    created_at: event.createdAt.toISOString(),
    data: event.data,
  }
}
