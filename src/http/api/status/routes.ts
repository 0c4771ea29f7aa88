import { status as statusSchema } from '../../../contract/status.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentStatus } from './present.ts'

export const statusRoutes = ({ status, version }: Pick<Dependencies, 'status' | 'version'>): Route[] => [
  route({
    operationId: 'getStatus',
    method: 'GET',
    path: '/api/v1/status',
    tag: 'Instance',
    summary: 'Show what the instance is doing',
    description:
      'The answer of `getHealth` with the number of documents by status. The owner of the instance also gets rates, memory, sizes and the state of the index. A load balancer should ask `getHealth`, which answers 503 when the instance does not work.',
    access: 'read:documents',
    answers: { 200: { description: 'The state of the instance', schema: statusSchema } },
    async handle({ ctx, actor }) {
      ctx.body = presentStatus(await status.report(actor), version)
    },
  }),
]
