import { Readable } from 'node:stream'
import { documentEvent, eventQuery } from '../../../contract/documents.ts'
import { invalid } from '../../../contract/validate.ts'
import type { Ctx } from '../../routing/context.ts'
import type { Dependencies } from '../../dependencies.ts'
import { isStillValid } from '../../middleware/authenticate.ts'
import { route, type Route } from '../../routing/route.ts'
import { formatEvents } from './present.ts'

export const eventRoutes = ({ events, authenticator }: Pick<Dependencies, 'events' | 'authenticator'>): Route[] => [
  route({
    operationId: 'listenToEvents',
    method: 'GET',
    path: '/api/v1/events',
    tag: 'Events',
    summary: 'Follow the status of your documents',
    description:
      'Server-sent events: `document.queued`, `.processing`, `.ready`, `.failed`, `.deleted`. After a break, `Last-Event-ID` (or `last_event_id`) resumes without a gap; without it the stream begins now. A comment every 15 seconds keeps the connection open. The stream ends when the instance stops or the credential ends.',
    access: 'read:documents',
    query: eventQuery,
    headers: { 'Last-Event-ID': { description: 'ID of the last event that you received', example: '42' } },
    answers: { 200: { description: 'Events; `data` is a DocumentEvent', type: 'text/event-stream', schema: documentEvent } },
    async handle({ ctx, actor, query, ending }) {
      const afterId = lastEventId(ctx) ?? query.last_event_id ?? null
      ctx.set('Content-Type', 'text/event-stream; charset=utf-8')
      // Tells a reverse proxy not to buffer events.
      ctx.set('X-Accel-Buffering', 'no')
      ctx.status = 200
      if (ctx.method === 'HEAD') return
      const isAllowed = () => isStillValid(ctx, authenticator)
      ctx.body = Readable.from(formatEvents(events.follow(actor, { afterId, signal: ending, isAllowed })), { objectMode: false })
      // Koa replaced the type when it got a stream.
      ctx.set('Content-Type', 'text/event-stream; charset=utf-8')
    },
  }),
]

function lastEventId(ctx: Ctx): number | null {
  const header = ctx.get('Last-Event-ID')
  if (header === '') return null
  if (!/^\d{1,15}$/.test(header)) throw invalid([{ path: 'Last-Event-ID', message: 'must be the ID of an event (digits)' }])
  return Number(header)
}
