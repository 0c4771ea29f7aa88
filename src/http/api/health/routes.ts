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
      'Without a credential, the answer has only status and version. The numbers in `checks` are about your own documents; only the owner of the instance gets numbers about the whole instance, and `free_bytes`. A `degraded` instance still answers searches, and accepts uploads if it can.',
    access: 'optional',
    answers: {
      200: { description: 'The instance works (`ok`), or works in part (`degraded`)', schema: healthSchema },
      503: {
        description: 'The instance cannot answer (`unavailable`)',
        schema: healthSchema,
        headers: { 'Retry-After': 'Seconds' },
      },
    },
    async handle({ ctx }) {
      const { actor } = ctx.state
      const report = await (actor === undefined ? health.recent() : health.report(actor))
      if (report.status === 'unavailable') {
        ctx.status = 503
        ctx.set('Retry-After', '10')
      }
      ctx.body = presentHealth(report, version, { isDetailed: actor !== undefined })
    },
  }),
]
