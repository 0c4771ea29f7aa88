import { me, type Me } from '../../../contract/account.ts'
import { KEY_SCOPES, type Principal } from '../../../core/model.ts'
import type { Account } from '../../../services/account.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'

export const meRoutes = ({ account }: Pick<Dependencies, 'account'>): Route[] => [
  route({
    operationId: 'getMe',
    method: 'GET',
    path: '/api/v1/me',
    tag: 'Account',
    summary: 'Show who you are',
    description: 'The user with usage and quotas, and the credential with its kind, scopes and expiry.',
    access: 'any',
    answers: { 200: { description: 'The caller', schema: me } },
    async handle({ ctx, actor, principal }) {
      if (principal === null) throw new Error('getMe was called without a credential')
      ctx.body = presentMe(await account.getWithUsage(actor), principal)
    },
  }),
]

/** Presents the caller. */
function presentMe(user: Awaited<ReturnType<Account['getWithUsage']>>, caller: Principal): Me {
  return {
    user: { id: user.id, name: user.name, email: user.email, role: user.role },
    scopes: KEY_SCOPES.filter((scope) => caller.scopes.has(scope)),
    projects: user.projects,
    authentication: { method: caller.via, id: caller.credentialId, name: caller.credentialName },
    expires_at: caller.expiresAt?.toISOString() ?? null,
    usage: user.usage,
    quota: user.quotas,
  }
}
