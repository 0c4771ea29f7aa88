import {
  user,
  userCreate,
  userCreated,
  userDeleted,
  userList,
  userListQuery,
  userReset,
  userUpdate,
} from '../../../contract/users.ts'
import { SCOPES, type Principal } from '../../../core/model.ts'
import { pageRequest } from '../../page.ts'
import { fail } from '../../problems.ts'
import { route } from '../../route.ts'
import { people } from './people.ts'

const tag = 'Users'
const path = '/api/v1/users/{id}'
const access = 'manage:keys'
const role = 'owner'
const idDescription = 'Id or email of the user'

export const userRoutes = [
  route({
    operationId: 'listUsers',
    method: 'GET',
    path: '/api/v1/users',
    tag,
    summary: 'List the users of this instance',
    access,
    role,
    query: userListQuery,
    answers: { 200: { description: 'A page of users, in the order in which they came', schema: userList } },
    problems: ['invalid_cursor'],
    async handle({ ctx, services, query }) {
      ctx.body = await people(services).list(pageRequest(query))
    },
  }),
  route({
    operationId: 'createUser',
    method: 'POST',
    path: '/api/v1/users',
    tag,
    summary: 'Add a user',
    description:
      'Without a password the answer has a one-time link, shown this once, with which the person makes one. Nothing is sent by mail.',
    access,
    role,
    body: userCreate,
    answers: { 201: { description: 'The new user', schema: userCreated, headers: { Location: 'Its address' } } },
    problems: ['user_exists', 'owner_exists', 'password_too_short', 'password_too_long', 'password_too_common'],
    async handle({ ctx, services, caller, body }) {
      if (body.role === 'owner') demandEveryScope(caller)
      const made = await people(services).add(body)
      ctx.status = 201
      ctx.set('Location', `${services.http.baseUrl()}/api/v1/users/${made.id}`)
      ctx.body = made
    },
  }),
  route({
    operationId: 'getUser',
    method: 'GET',
    path,
    tag,
    summary: 'Show a user',
    access,
    role,
    idDescription,
    answers: { 200: { description: 'The user', schema: user } },
    problems: ['user_not_found'],
    async handle({ ctx, services, id }) {
      ctx.body = await people(services).get(id)
    },
  }),
  route({
    operationId: 'updateUser',
    method: 'PATCH',
    path,
    tag,
    summary: 'Rename, disable or enable a user',
    description:
      'Disabled: browsers are logged out, connected applications cut off, links void, and neither password nor keys are accepted until the user is enabled again. Documents stay.',
    access,
    role,
    idDescription,
    body: userUpdate,
    answers: { 200: { description: 'The user as it is now', schema: user } },
    problems: ['user_not_found', 'owner_stays'],
    async handle({ ctx, services, id, body }) {
      ctx.body = await people(services).update(id, body)
    },
  }),
  route({
    operationId: 'resetUser',
    method: 'POST',
    path: '/api/v1/users/{id}/reset',
    tag,
    summary: 'Make a link for a new password',
    description: 'Links made before end. The old password is good until the link is used; using it ends all browser sessions.',
    access,
    role,
    idDescription,
    answers: { 200: { description: 'The user with the link, which is shown this once', schema: userReset } },
    problems: ['user_not_found', 'user_disabled'],
    async handle({ ctx, services, caller, id }) {
      const administration = people(services)
      if ((await administration.find(id)).role === 'owner') demandEveryScope(caller)
      ctx.body = await administration.reset(id)
    },
  }),
  route({
    operationId: 'deleteUser',
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete a user with all documents, keys and applications',
    access,
    role,
    idDescription,
    answers: { 200: { description: 'What was deleted; no search finds it any more', schema: userDeleted } },
    problems: ['user_not_found', 'owner_stays'],
    async handle({ ctx, services, id }) {
      ctx.body = await people(services).delete(id)
    },
  }),
]

/** A password opens everything the user may do, so a credential that may do less must not make one for its own user. */
function demandEveryScope(caller: Principal): void {
  const missing = SCOPES.filter((scope) => !caller.scopes.has(scope))
  if (missing.length === 0) return
  throw fail(
    'insufficient_scope',
    `A password gives its owner every scope, and this credential lacks ${missing.join(', ')}. Use one that has them all.`,
    { scope: missing.join(' ') },
  )
}
