import {
  oauthClient,
  oauthClientCreate,
  oauthClientCreated,
  oauthClientList,
  oauthClientRotate,
  oauthClientRotated,
  oauthClientUpdate,
} from '../../../contract/clients.ts'
import { route } from '../../route.ts'
import { registeredClients } from './registered.ts'

const tag = 'OAuth clients'
const path = '/api/v1/clients/{id}'
const access = 'manage:keys'
const idDescription = '`client_id` of the application'

export const clientRoutes = [
  route({
    operationId: 'listClients',
    method: 'GET',
    path: '/api/v1/clients',
    tag,
    summary: 'List the applications you have registered',
    access,
    answers: { 200: { description: 'Newest first, without their secrets', schema: oauthClientList } },
    async handle({ ctx, services, caller }) {
      ctx.body = await registeredClients(services.oauth.clients, caller.userId).list()
    },
  }),
  route({
    operationId: 'createClient',
    method: 'POST',
    path: '/api/v1/clients',
    tag,
    summary: 'Register an application',
    description:
      'It may then ask users of this instance for access (OAuth 2.0). The answer holds the secret of a confidential client; it is shown this ' +
      'once and cannot be read again. `scopes` may go beyond those of the caller: registering gives nothing, each user decides.',
    access,
    body: oauthClientCreate,
    answers: { 201: { description: 'The application', schema: oauthClientCreated, headers: { Location: 'Its address' } } },
    problems: ['invalid_redirect_uri', 'too_many_redirect_uris'],
    async handle({ ctx, services, caller, body }) {
      const made = await registeredClients(services.oauth.clients, caller.userId).create(body)
      ctx.status = 201
      ctx.set('Location', `${services.http.baseUrl()}/api/v1/clients/${made.client_id}`)
      ctx.body = made
    },
  }),
  route({
    operationId: 'getClient',
    method: 'GET',
    path,
    tag,
    summary: 'Show an application',
    access,
    idDescription,
    answers: { 200: { description: 'The application', schema: oauthClient } },
    problems: ['client_not_found'],
    async handle({ ctx, services, caller, id }) {
      ctx.body = await registeredClients(services.oauth.clients, caller.userId).get(id)
    },
  }),
  route({
    operationId: 'updateClient',
    method: 'PATCH',
    path,
    tag,
    summary: 'Change an application',
    description: 'What users have agreed to already stays as it is.',
    access,
    idDescription,
    body: oauthClientUpdate,
    answers: { 200: { description: 'The application as it is now', schema: oauthClient } },
    problems: ['client_not_found', 'invalid_redirect_uri', 'too_many_redirect_uris'],
    async handle({ ctx, services, caller, id, body }) {
      ctx.body = await registeredClients(services.oauth.clients, caller.userId).update(id, body)
    },
  }),
  route({
    operationId: 'rotateClient',
    method: 'POST',
    path: '/api/v1/clients/{id}/rotate',
    tag,
    summary: 'Make a new secret for an application',
    description:
      'The new secret is shown this once. The old ones stay good for `grace_seconds`, so that the application can be changed over.',
    access,
    idDescription,
    body: oauthClientRotate,
    bodyOptional: true,
    answers: { 200: { description: 'The application with its new secret', schema: oauthClientRotated } },
    problems: ['client_not_found', 'client_is_public'],
    async handle({ ctx, services, caller, id, body }) {
      ctx.body = await registeredClients(services.oauth.clients, caller.userId).rotate(id, body)
    },
  }),
  route({
    operationId: 'deleteClient',
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete an application',
    description: 'Everything it was allowed by any user ends at once.',
    access,
    idDescription,
    answers: { 204: { description: 'It is gone, and its tokens are good for nothing' } },
    problems: ['client_not_found'],
    async handle({ ctx, services, caller, id }) {
      await registeredClients(services.oauth.clients, caller.userId).delete(id)
      ctx.status = 204
    },
  }),
]
