import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'

export const metricsRoutes = ({ metrics }: Pick<Dependencies, 'metrics'>): Route[] => [
  route({
    operationId: 'getMetrics',
    method: 'GET',
    path: '/metrics',
    tag: 'Instance',
    summary: 'Read the metrics',
    description:
      "The metrics of the whole instance in Prometheus' text format. Needs an API key of the owner with the scope `read:metrics`, which is not limited to projects. docs/monitoring.md lists the metrics.",
    access: 'read:metrics',
    role: 'owner',
    answers: { 200: { description: 'The metrics', type: 'text/plain' } },
    async handle({ ctx, actor }) {
      ctx.body = await metrics.text(actor)
      ctx.set('Content-Type', metrics.contentType)
      ctx.set('Cache-Control', 'no-store')
    },
  }),
]
