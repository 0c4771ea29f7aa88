import { health as healthSchema } from '../../../contract/account.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentHealth } from './present.ts'

export const healthRoutes = ({ health, version }: Pick<Dependencies, 'health' | 'version'>): Route[] => [
  route({
    operationId: 'getHealth',
    method: 'GET',
    path: '/api/v1/health',
    tag: 'Instance',
    summary: 'Show whether the instance works',
    description:
      'Without a credential, the answer has only status and version. A `degraded` instance still answers searches and takes uploads where it can.',
    access: 'optional',
    answers: {
      200: { description: 'The instance works (`ok`), or works in part (`degraded`)', schema: healthSchema },
      503: {
        description: 'The instance cannot answer (`unavailable`)',
        schema: healthSchema,
        headers: { 'Retry-After': 'Seconds' },
      },
    },
    async handle({ ctx, principal }) {
      const isDetailed = principal !== null
      const report = await (isDetailed ? health.report() : health.recent())
      if (report.status === 'unavailable') {
        ctx.status = 503
        ctx.set('Retry-After', '10')
      }
      ctx.body = presentHealth(report, version, { isDetailed })
    },
  }),
]
