import {
  presentDeletedUser,
  presentNewUser,
  presentUser,
  presentUserDeletion,
  presentUsers,
  presentUserWithLink,
} from '../../../contract/present.ts'
import {
  user,
  userCreate,
  userCreated,
  userDeleted,
  userDeletion,
  userList,
  userListQuery,
  userReset,
  userUpdate,
} from '../../../contract/users.ts'
import type { Dependencies } from '../../dependencies.ts'
import { answerCreated, routesWith, type Route } from '../../routing/route.ts'

const route = routesWith({ tag: 'Users', access: 'manage:keys', role: 'owner', idDescription: 'ID or email of the user' })
const path = '/api/v1/users/{id}'

type Parts = Pick<Dependencies, 'users' | 'settings'>

export const userRoutes = (parts: Parts): Route[] => [...allUsers(parts), ...oneUser(parts), ...deletion(parts)]

const allUsers = ({ users, settings }: Parts): Route[] => [
  route({
    operationId: 'listUsers',
    method: 'GET',
    path: '/api/v1/users',
    summary: 'List the users of this instance',
    query: userListQuery,
    answers: { 200: { description: 'Some of the users, oldest first, and the cursor to the next ones', schema: userList } },
    problems: ['invalid_cursor'],
    async handle({ ctx, actor, query }) {
      ctx.body = presentUsers(await users.list(actor, query))
    },
  }),
  route({
    operationId: 'createUser',
    method: 'POST',
    path: '/api/v1/users',
    summary: 'Add a user',
    description:
      'Without a password, the answer has a one-time link with which the user sets one. The link is shown only once. docsearch sends no email.',
    body: userCreate,
    answers: { 201: { description: 'The new user', schema: userCreated, headers: { Location: 'Its address' } } },
    problems: ['user_exists', 'owner_exists', 'password_too_short', 'password_too_long', 'password_too_common'],
    async handle({ ctx, actor, body }) {
      const added = await users.add(actor, body)
      answerCreated(ctx, `${settings.baseUrl()}/api/v1/users/${added.user.id}`, presentNewUser(added, settings.baseUrl()))
    },
  }),
]

const oneUser = ({ users, settings }: Parts): Route[] => [
  route({
    operationId: 'getUser',
    method: 'GET',
    path,
    summary: 'Show a user',
    answers: { 200: { description: 'The user', schema: user } },
    problems: ['user_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentUser(await users.get(actor, id))
    },
  }),
  route({
    operationId: 'updateUser',
    method: 'PATCH',
    path,
    summary: 'Rename, disable or enable a user, or set quotas',
    description:
      "Disabling a user ends their browser sessions, links and connected applications. Their password and keys stop working until you enable the user again. Documents stay. A user over a quota can't add documents. docsearch never deletes documents because of a quota.",
    body: userUpdate,
    answers: { 200: { description: 'The changed user', schema: user } },
    problems: ['user_not_found', 'owner_stays'],
    async handle({ ctx, actor, id, body }) {
      const { quota, ...change } = body
      ctx.body = presentUser(await users.update(actor, id, { ...change, quotas: quota }))
    },
  }),
  route({
    operationId: 'resetUser',
    method: 'POST',
    path: '/api/v1/users/{id}/reset',
    summary: 'Create a link to set a new password',
    description:
      'Earlier links of the user end. The old password stays valid until the link is used; using the link ends all browser sessions of the user.',
    answers: { 200: { description: 'The user with the link, which is shown only once', schema: userReset } },
    problems: ['user_not_found', 'user_disabled'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentUserWithLink(await users.resetPassword(actor, id), settings.baseUrl())
    },
  }),
]

const deletion = ({ users }: Pick<Parts, 'users'>): Route[] => [
  route({
    operationId: 'previewUserDeletion',
    method: 'GET',
    path: '/api/v1/users/{id}/deletion',
    summary: 'Show what a deletion of a user would delete',
    description:
      'Lists the private projects of the user, which are deleted with the user. This request deletes nothing. You see no other projects of the user.',
    answers: { 200: { description: 'The private projects', schema: userDeletion } },
    problems: ['user_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentUserDeletion(await users.previewDeletion(actor, id))
    },
  }),
  route({
    operationId: 'deleteUser',
    method: 'DELETE',
    path,
    summary: 'Delete a user and their private projects, keys and applications',
    description:
      'Projects with other members stay. Of the other managers of such a project, the one who was added first becomes its owner. If there is no other manager, the project has no manager, and its documents count towards your quotas.',
    answers: { 200: { description: 'What was deleted; no search finds it any more', schema: userDeleted } },
    problems: ['user_not_found', 'owner_stays'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentDeletedUser(await users.delete(actor, id))
    },
  }),
]
