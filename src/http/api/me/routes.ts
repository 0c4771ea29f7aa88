import { me } from '../../../contract/account.ts'
import { fail } from '../../problems.ts'
import { route } from '../../route.ts'
import { presentMe } from './present.ts'

export const meRoutes = [
  route({
    operationId: 'getMe',
    method: 'GET',
    path: '/api/v1/me',
    tag: 'Account',
    summary: 'Show who you are',
    description: 'User, scopes, how the caller is authenticated, and until when.',
    access: 'any',
    answers: { 200: { description: 'The caller', schema: me } },
    async handle({ ctx, services, caller }) {
      const user = await services.records.users.get(caller.userId)
      // The user went between the check of the credential and now.
      if (user === null) throw fail('invalid_token', 'The user of this credential is gone.')
      ctx.body = presentMe(user, caller)
    },
  }),
]
