import { health, type Health } from '../../../contract/account.ts'
import { route } from '../../route.ts'
import type { Services } from '../../services.ts'
import { presentHealth } from './present.ts'

export const healthRoutes = [
  route({
    operationId: 'getHealth',
    method: 'GET',
    path: '/api/v1/health',
    tag: 'Instance',
    summary: 'Show whether it works',
    description:
      'Answers without a credential too, then with status and version only. `degraded` still answers searches and takes uploads where it can.',
    access: 'optional',
    answers: {
      200: { description: 'It works, perhaps with less (`degraded`)', schema: health },
      503: { description: 'It cannot answer (`unavailable`)', schema: health, headers: { 'Retry-After': 'Seconds' } },
    },
    async handle({ ctx, services, principal }) {
      const uptimeSeconds = Math.max(0, Math.round((services.clock.now().getTime() - services.startedAt.getTime()) / 1000))
      const answer = presentHealth(services.version, await checks(services), principal === null ? null : { uptimeSeconds })
      if (answer.status === 'unavailable') {
        ctx.status = 503
        ctx.set('Retry-After', '10')
      }
      ctx.body = answer
    },
  }),
]

async function checks({ records, lifecycle, reranker, ingest, disk }: Services): Promise<NonNullable<Health['checks']>> {
  const [database, { embedder, index }, queue, space] = await Promise.all([
    records.check(),
    lifecycle.status(),
    queueStatus(ingest),
    disk(),
  ])
  return {
    database: { status: database.ok ? 'ok' : 'unavailable', message: database.message },
    index,
    embedder,
    reranker: { ...reranker() },
    queue,
    disk: { status: space.ok ? 'ok' : 'degraded', message: space.message, free_bytes: space.freeBytes },
  }
}

/** The queue lives in the database: when that cannot be read, health still has to answer. */
async function queueStatus(ingest: Services['ingest']): Promise<NonNullable<Health['checks']>['queue']> {
  try {
    const { status, message, queued, processing, failed } = await ingest.status()
    return { status, message, queued, processing, failed }
  } catch {
    // The reason stands under `database`, where it belongs.
    return { status: 'degraded', message: 'The queue cannot be read.' }
  }
}
