import { z } from 'zod'
import { DEFAULT_SCOPES, SCOPES, type OAuthClientRecord, type Scope } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import { renderApplication, renderApplicationSecret } from '../../../pages/settings/application.tsx'
import {
  renderApplicationDelete,
  renderApplicationForm,
  renderApplications,
  type ApplicationFormProps,
} from '../../../pages/settings/applications.tsx'
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
    path: paths.applications,
    access: 'user',
    async handle({ services, user, show, signedIn }) {
      const clients = await services.oauth.clients.list(user.id)
      show(renderApplications({ ...signedIn(), applications: clients.map(applicationRow) }))
    },
  },
  {
    method: 'GET',
    path: paths.applicationNew,
    access: 'user',
    handle: (call) => showForm(call, null, {}, DEFAULT_SCOPES, 200),
  },
  {
    method: 'POST',
    path: paths.applications,
    access: 'user',
    async handle(call) {
      const { services, user, submitted, show, signedIn } = call
      const { data, state } = submitted(newForm)
      const again = (form: ApplicationFormProps['form']) => showForm(call, null, form, chosenScopes(call), 422)
      if (data === undefined) return again(state)
      try {
        const { client, secret } = await services.oauth.clients.create({
          ownerId: user.id,
          name: data.name,
          type: data.type,
          redirectUris: data.redirect_uris,
          scopes: data.scopes,
        })
        show(
          renderApplicationSecret({
            ...signedIn(),
            application: client,
            secret,
            oldUntil: null,
            baseUrl: services.http.baseUrl(),
          }),
        )
      } catch (error) {
        again(withError(state, error, ERROR_FIELDS))
      }
    },
  },
  {
    method: 'GET',
    path: paths.application(':id'),
    access: 'user',
    async handle(call) {
      const client = await findClient(call)
      const secrets = client.secrets.map(({ lastFour, createdAt, expiresAt }) => ({
        lastFour,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
      }))
      const shown = { ...applicationRow(client), redirectUris: client.redirectUris, secrets }
      call.show(renderApplication({ ...call.signedIn(), application: shown, baseUrl: call.services.http.baseUrl() }))
    },
  },
  {
    method: 'GET',
    path: paths.applicationEdit(':id'),
    access: 'user',
    async handle(call) {
      const client = await findClient(call)
      showForm(call, client, {}, client.scopes, 200)
    },
  },
  {
    method: 'POST',
    path: paths.applicationEdit(':id'),
    access: 'user',
    async handle(call) {
      const { services, user, id, submitted, goTo } = call
      const client = await findClient(call)
      const { data, state } = submitted(editForm)
      const again = (form: ApplicationFormProps['form']) => showForm(call, client, form, chosenScopes(call), 422)
      if (data === undefined) return again(state)
      try {
        const change = { name: data.name, redirectUris: data.redirect_uris, scopes: data.scopes }
        if ((await services.oauth.clients.update(user.id, id, change)) === null) throw missing()
      } catch (error) {
        return again(withError(state, error, ERROR_FIELDS))
      }
      goTo(paths.application(id), 'client_saved')
    },
  },
  {
    method: 'POST',
    path: paths.applicationRotate(':id'),
    access: 'user',
    async handle(call) {
      const { services, user, id, submitted, show, signedIn } = call
      const { data } = submitted(rotateForm)
      if (data === undefined) throw fail('invalid_request', 'Choose when the current secret ends.')
      const rotated = await services.oauth.clients.rotate(user.id, id, data.grace_seconds)
      if (rotated === null) throw missing()
      const { client, secret, oldUntil } = rotated
      const props = { application: client, secret, oldUntil: oldUntil.toISOString(), baseUrl: services.http.baseUrl() }
      show(renderApplicationSecret({ ...signedIn(), ...props }))
    },
  },
  {
    method: 'GET',
    path: paths.applicationDelete(':id'),
    access: 'user',
    async handle(call) {
      const { id, name } = await findClient(call)
      call.show(renderApplicationDelete({ ...call.signedIn(), application: { id, name } }))
    },
  },
  {
    method: 'POST',
    path: paths.applicationDelete(':id'),
    access: 'user',
    async handle({ services, user, id, goTo }) {
      if (!(await services.oauth.clients.delete(user.id, id))) throw missing()
      goTo(paths.applications, 'client_deleted')
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
  client: ApplicationFormProps['application'],
  form: ApplicationFormProps['form'],
  chosen: readonly Scope[],
  status: number,
): void {
  show(renderApplicationForm({ ...signedIn(), application: client, form, scopes: SCOPES, chosenScopes: chosen }), status)
}

function applicationRow({ id, name, type, scopes, createdAt }: OAuthClientRecord) {
  return { id, name, type, scopes, createdAt: createdAt.toISOString() }
}

function missing(): Error {
  return fail('not_found', 'There is no such application of yours.')
}
