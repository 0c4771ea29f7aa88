import { Readable } from 'node:stream'
import { documentEvent, eventQuery } from '../../../contract/documents.ts'
import { isStillValid } from '../../middleware/authenticate.ts'
import { invalid } from '../../problems.ts'
import { route, type Ctx } from '../../route.ts'
import { eventStream } from './stream.ts'

export const eventRoutes = [
  route({
    operationId: 'listenToEvents',
    method: 'GET',
    path: '/api/v1/events',
    tag: 'Events',
    summary: "Follow your documents' status",
    description:
      'Server-sent events: `document.queued`, `.processing`, `.ready`, `.failed`, `.deleted`. After a break, `Last-Event-ID` (or `last_event_id`) resumes without a gap; without it the stream begins now. A comment every 15 seconds keeps the connection open; it ends when the instance stops or the credential does.',
    access: 'read:documents',
    query: eventQuery,
    headers: { 'Last-Event-ID': { description: 'Id of the last event that was received', example: '42' } },
    answers: { 200: { description: 'Events; `data` is a DocumentEvent', type: 'text/event-stream', schema: documentEvent } },
    async handle({ ctx, services, caller, query, ending }) {
      const afterId = lastEventId(ctx) ?? query.last_event_id ?? null
      ctx.set('Content-Type', 'text/event-stream; charset=utf-8')
      // A proxy that buffers would hold events back.
      ctx.set('X-Accel-Buffering', 'no')
      ctx.status = 200
      if (ctx.method === 'HEAD') return
      const isAllowed = () => isStillValid(ctx, services.authenticator)
      ctx.body = Readable.from(
        eventStream({ events: services.records.events, ownerId: caller.userId, afterId, signal: ending, isAllowed }),
        { objectMode: false },
      )
      ctx.set('Content-Type', 'text/event-stream; charset=utf-8')
    },
  }),
]

function lastEventId(ctx: Ctx): number | null {
  const header = ctx.get('Last-Event-ID')
  if (header === '') return null
  if (!/^\d{1,15}$/.test(header)) throw invalid([{ path: 'Last-Event-ID', message: 'must be the id of an event: digits' }])
  return Number(header)
}
