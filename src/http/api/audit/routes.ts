import { auditList, auditListQuery, type AuditList } from '../../../contract/audit.ts'
import { presentAuditEvents, toAuditFilter } from '../../../contract/present.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'

export const auditRoutes = ({ audit }: Pick<Dependencies, 'audit'>): Route[] => [
  route({
    operationId: 'listAuditEvents',
    method: 'GET',
    path: '/api/v1/audit',
    tag: 'Audit log',
    summary: 'List what happened, and who did it',
    description:
      'Newest first. Managers see what happened in their projects. The owner of the instance sees what happened to accounts, ' +
      'applications and models. Users see what they did themselves, and what happened to their own account. Account events also need ' +
      'the scope `manage:keys` and a credential that is not limited to projects. The log keeps events for 90 days (`audit_days`).',
    access: 'read:documents',
    query: auditListQuery,
    answers: { 200: { description: 'Some of the events, and the cursor to the next ones', schema: auditList } },
    problems: ['project_not_found', 'invalid_cursor'],
    async handle({ ctx, actor, query }) {
      ctx.body = presentAuditEvents(await audit.list(actor, toAuditFilter(query))) satisfies AuditList
    },
  }),
]
