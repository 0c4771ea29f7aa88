import { z } from 'zod'
import { type ApplicationRecord, DEFAULT_SCOPES, type Scope, SCOPES } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import {
  renderApplication,
  renderApplicationSecret,
  type ApplicationFormProps,
  renderApplicationDelete,
  renderApplicationForm,
  renderApplications,
} from '../../../pages/settings/applications.tsx'
import { type ConnectionRow, renderConnectionEnd, renderConnections } from '../../../pages/settings/connections.tsx'
import type { OwnConnection } from '../../../services/applications.ts'
import type { Dependencies } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import { chosenScopes, name, scopes } from '../forms.ts'
import { withError } from '../submitted.ts'
import type { View, ViewCall } from '../routing/page.ts'

const redirectUris = z
  .string('Enter at least one address.')
  .transform((text) => text.split(/\s+/).filter((line) => line !== ''))
  .pipe(z.array(z.string()).min(1, 'Enter at least one address.'))
const type = z.enum(['confidential', 'public'], 'Choose one of the two.')
const editForm = z.object({ name, redirect_uris: redirectUris, scopes })
const newForm = editForm.extend({ type })
const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60
const rotateForm = z.object({
  grace_seconds: z
    .string()
    .regex(/^\d{1,7}$/)
    .transform(Number)
    .pipe(z.int().max(MAX_GRACE_SECONDS)),
})

/** For each error code of the service: the form field that shows the error. */
const ERROR_FIELDS = {
  invalid_redirect_uri: 'redirect_uris',
  too_many_redirect_uris: 'redirect_uris',
  invalid_name: 'name',
} as const

type Parts = Pick<Dependencies, 'applications' | 'settings'>

export const applicationPages = (parts: Parts): View[] => [...viewPages(parts), ...changePages(parts)]

const viewPages = ({ applications, settings }: Parts): View[] => [
  {
    method: 'GET',
    path: paths.applications,
    async handle({ actor, show, signedIn }) {
      const found = await applications.list(actor)
      show(renderApplications({ ...signedIn(), applications: found.map(applicationRow) }))
    },
  },
  {
    method: 'GET',
    path: paths.applicationNew,
    handle: (call) => showForm(call, null, {}, DEFAULT_SCOPES, 200),
  },
  {
    method: 'GET',
    path: paths.application(':id'),
    async handle({ actor, id, show, signedIn }) {
      const application = await applications.get(actor, id)
      const secrets = application.secrets.map(({ lastFour, createdAt, expiresAt }) => ({
        lastFour,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
      }))
      const shown = { ...applicationRow(application), redirectUris: application.redirectUris, secrets }
      show(renderApplication({ ...signedIn(), application: shown, baseUrl: settings.baseUrl() }))
    },
  },
  {
    method: 'GET',
    path: paths.applicationEdit(':id'),
    async handle(call) {
      const application = await applications.get(call.actor, call.id)
      showForm(call, application, {}, application.scopes, 200)
    },
  },
  {
    method: 'GET',
    path: paths.applicationDelete(':id'),
    async handle({ actor, id, show, signedIn }) {
      const application = await applications.get(actor, id)
      show(renderApplicationDelete({ ...signedIn(), application: { id, name: application.name } }))
    },
  },
]

const changePages = ({ applications, settings }: Parts): View[] => [
  {
    method: 'POST',
    path: paths.applications,
    hasScript: true,
    async handle(call) {
      const { actor, submitted, showOnce } = call
      const { data, state } = submitted(newForm)
      const again = (form: ApplicationFormProps['form']) => showForm(call, null, form, chosenScopes(call), 422)
      if (data === undefined) return again(state)
      const { redirect_uris: uris, ...rest } = data
      try {
        const { application, secret } = await applications.create(actor, { ...rest, redirectUris: uris })
        const props = { application, secret, oldUntil: null, baseUrl: settings.baseUrl() }
        await showOnce(paths.application(application.id), (page) => renderApplicationSecret({ ...page, ...props }))
      } catch (error) {
        again(withError(state, error, ERROR_FIELDS))
      }
    },
  },
  {
    method: 'POST',
    path: paths.applicationEdit(':id'),
    async handle(call) {
      const { actor, id, submitted, goTo } = call
      const application = await applications.get(actor, id)
      const { data, state } = submitted(editForm)
      const again = (form: ApplicationFormProps['form']) => showForm(call, application, form, chosenScopes(call), 422)
      if (data === undefined) return again(state)
      const { redirect_uris: uris, ...change } = data
      try {
        await applications.update(actor, id, { ...change, redirectUris: uris })
      } catch (error) {
        return again(withError(state, error, ERROR_FIELDS))
      }
      goTo(paths.application(id), 'client_saved')
    },
  },
  {
    method: 'POST',
    path: paths.applicationRotate(':id'),
    hasScript: true,
    async handle({ actor, id, submitted, showOnce }) {
      const { data } = submitted(rotateForm)
      if (data === undefined) throw fail('invalid_request', 'Choose when the current secret ends.')
      const { application, secret, oldUntil } = await applications.rotate(actor, id, data.grace_seconds)
      const props = { application, secret, oldUntil: oldUntil.toISOString(), baseUrl: settings.baseUrl() }
      await showOnce(paths.application(id), (page) => renderApplicationSecret({ ...page, ...props }))
    },
  },
  {
    method: 'POST',
    path: paths.applicationDelete(':id'),
    async handle({ actor, id, goTo }) {
      await applications.delete(actor, id)
      goTo(paths.applications, 'client_deleted')
    },
  },
]

function showForm(
  { show, signedIn }: ViewCall,
  application: ApplicationFormProps['application'],
  form: ApplicationFormProps['form'],
  chosen: readonly Scope[],
  status: number,
): void {
  show(renderApplicationForm({ ...signedIn(), application, form, scopes: SCOPES, chosenScopes: chosen }), status)
}

function applicationRow({ id, name, type, scopes, createdAt }: ApplicationRecord) {
  return { id, name, type, scopes, createdAt: createdAt.toISOString() }
}

export const connectionPages = ({ connections }: Pick<Dependencies, 'connections'>): View[] => [
  {
    method: 'GET',
    path: paths.connections,
    async handle({ actor, show, signedIn }) {
      const found = await connections.list(actor)
      show(renderConnections({ ...signedIn(), connections: found.map(connectionRow) }))
    },
  },
  {
    method: 'GET',
    path: paths.connectionEnd(':id'),
    async handle({ actor, id, show, signedIn }) {
      const found = (await connections.list(actor)).find(({ application }) => application.id === id)
      if (found === undefined) throw fail('connection_not_found', 'No such application is connected to your account.')
      show(renderConnectionEnd({ ...signedIn(), connection: connectionRow(found) }))
    },
  },
  {
    method: 'POST',
    path: paths.connectionEnd(':id'),
    async handle({ actor, id, goTo }) {
      await connections.end(actor, id)
      goTo(paths.connections, 'disconnected')
    },
  },
]

function connectionRow({ application, scopes, projects, since, lastUsedAt }: OwnConnection): ConnectionRow {
  return {
    clientId: application.id,
    name: application.name,
    scopes,
    projects: projects && projects.map((project) => project.name),
    since: since.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
