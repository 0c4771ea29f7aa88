import { z } from 'zod'
import { DEFAULT_SCOPES, SCOPES, type OAuthClientRecord, type Scope } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import { renderClient, renderClientSecret } from '../../../pages/settings/client.tsx'
import { renderClientDelete, renderClientForm, renderClients, type ClientFormProps } from '../../../pages/settings/clients.tsx'
import { fail } from '../../problems.ts'
import { chosenScopes, name, scopes } from '../fields.ts'
import type { Page, PageCall } from '../page.ts'
import { withError } from '../submitted.ts'

const redirectUris = z
  .string('Enter at least one address.')
  .transform((text) => text.split(/\s+/).filter((line) => line !== ''))
  .pipe(z.array(z.string()).min(1, 'Enter at least one address.'))
const type = z.enum(['confidential', 'public'], 'Choose one of the two.')
const editForm = z.object({ name, redirect_uris: redirectUris, scopes })
const newForm = editForm.extend({ type })
const MOST_GRACE_SECONDS = 30 * 24 * 60 * 60
const rotateForm = z.object({
  grace_seconds: z
    .string()
    .regex(/^\d{1,7}$/)
    .transform(Number)
    .pipe(z.int().max(MOST_GRACE_SECONDS)),
})

const ERROR_FIELDS = {
  invalid_redirect_uri: 'redirect_uris',
  too_many_redirect_uris: 'redirect_uris',
  invalid_name: 'name',
} as const

export const clientPages: Page[] = [
  {
    method: 'GET',
    path: paths.clients,
    access: 'user',
    async handle({ services, user, show, signedIn }) {
      const clients = await services.oauth.clients.list(user.id)
      show(renderClients({ ...signedIn(), clients: clients.map(clientRow) }))
    },
  },
  {
    method: 'GET',
    path: paths.clientNew,
    access: 'user',
    handle: (call) => showForm(call, null, {}, DEFAULT_SCOPES, 200),
  },
  {
    method: 'POST',
    path: paths.clients,
    access: 'user',
    async handle(call) {
      const { services, user, submitted, show, signedIn } = call
      const { data, state } = submitted(newForm)
      const again = (form: ClientFormProps['form']) => showForm(call, null, form, chosenScopes(call), 422)
      if (data === undefined) return again(state)
      try {
        const { client, secret } = await services.oauth.clients.create({
          ownerId: user.id,
          name: data.name,
          type: data.type,
          redirectUris: data.redirect_uris,
          scopes: data.scopes,
        })
        show(renderClientSecret({ ...signedIn(), client, secret, oldUntil: null, baseUrl: services.http.baseUrl() }))
      } catch (error) {
        again(withError(state, error, ERROR_FIELDS))
      }
    },
  },
  {
    method: 'GET',
    path: paths.client(':id'),
    access: 'user',
    async handle(call) {
      const client = await findClient(call)
      const secrets = client.secrets.map(({ lastFour, createdAt, expiresAt }) => ({
        lastFour,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
      }))
      const shown = { ...clientRow(client), redirectUris: client.redirectUris, secrets }
      call.show(renderClient({ ...call.signedIn(), client: shown, baseUrl: call.services.http.baseUrl() }))
    },
  },
  {
    method: 'GET',
    path: paths.clientEdit(':id'),
    access: 'user',
    async handle(call) {
      const client = await findClient(call)
      showForm(call, client, {}, client.scopes, 200)
    },
  },
  {
    method: 'POST',
    path: paths.clientEdit(':id'),
    access: 'user',
    async handle(call) {
      const { services, user, id, submitted, goTo } = call
      const client = await findClient(call)
      const { data, state } = submitted(editForm)
      const again = (form: ClientFormProps['form']) => showForm(call, client, form, chosenScopes(call), 422)
      if (data === undefined) return again(state)
      try {
        const change = { name: data.name, redirectUris: data.redirect_uris, scopes: data.scopes }
        if ((await services.oauth.clients.update(user.id, id, change)) === null) throw missing()
      } catch (error) {
        return again(withError(state, error, ERROR_FIELDS))
      }
      goTo(paths.client(id), 'client_saved')
    },
  },
  {
    method: 'POST',
    path: paths.clientRotate(':id'),
    access: 'user',
    async handle(call) {
      const { services, user, id, submitted, show, signedIn } = call
      const { data } = submitted(rotateForm)
      if (data === undefined) throw fail('invalid_request', 'Choose when the current secret ends.')
      const rotated = await services.oauth.clients.rotate(user.id, id, data.grace_seconds)
      if (rotated === null) throw missing()
      const { client, secret, oldUntil } = rotated
      const props = { client, secret, oldUntil: oldUntil.toISOString(), baseUrl: services.http.baseUrl() }
      show(renderClientSecret({ ...signedIn(), ...props }))
    },
  },
  {
    method: 'GET',
    path: paths.clientDelete(':id'),
    access: 'user',
    async handle(call) {
      const { id, name } = await findClient(call)
      call.show(renderClientDelete({ ...call.signedIn(), client: { id, name } }))
    },
  },
  {
    method: 'POST',
    path: paths.clientDelete(':id'),
    access: 'user',
    async handle({ services, user, id, goTo }) {
      if (!(await services.oauth.clients.delete(user.id, id))) throw missing()
      goTo(paths.clients, 'client_deleted')
    },
  },
]

/** Those of the others, and those built in, are not there. */
async function findClient({ services, user, id }: PageCall): Promise<OAuthClientRecord> {
  const client = await services.oauth.clients.get(id)
  if (client === null || client.ownerId !== user.id) throw missing()
  return client
}

function showForm(
  { show, signedIn }: PageCall,
  client: ClientFormProps['client'],
  form: ClientFormProps['form'],
  chosen: readonly Scope[],
  status: number,
): void {
  show(renderClientForm({ ...signedIn(), client, form, scopes: SCOPES, chosenScopes: chosen }), status)
}

function clientRow({ id, name, type, scopes, createdAt }: OAuthClientRecord) {
  return { id, name, type, scopes, createdAt: createdAt.toISOString() }
}

function missing(): Error {
  return fail('not_found', 'There is no such application of yours.')
}
