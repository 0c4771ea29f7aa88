import { Readable } from 'node:stream'
import { z } from 'zod'
import { documentEvent, eventQuery, missedEvents } from '../../../contract/documents.ts'
import { invalid } from '../../../contract/validate.ts'
import { connectionClosed, type Ctx } from '../../routing/context.ts'
import type { AppParts } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import type { Actor } from '../../../services/access.ts'
import { MAX_EVENTS } from '../../../services/events.ts'
import { formatEvents } from './present.ts'

export type EventParts = Pick<AppParts, 'events' | 'openStreams'>

export const eventRoutes = (parts: EventParts): Route[] => [
  route({
    operationId: 'listenToEvents',
    method: 'GET',
    path: '/api/v1/events',
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
