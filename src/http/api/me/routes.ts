import { me } from '../../../contract/account.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentMe } from './present.ts'

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
