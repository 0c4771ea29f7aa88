import { z } from 'zod'
import { DEFAULT_SCOPES, KEY_SCOPES, SCOPES, type KeyScope } from '../../../core/model.ts'
import type { FormState } from '../../../pages/form.tsx'
import { paths } from '../../../pages/paths.ts'
import {
  renderApiKeyCreated,
  renderApiKeyNew,
  renderApiKeyRevoke,
  renderApiKeys,
  type ApiKeyRow,
} from '../../../pages/settings/api-keys.tsx'
import { isOwner } from '../../../services/access.ts'
import type { OwnKey } from '../../../services/keys.ts'
import type { Dependencies } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import { listAll, chosenKeyScopes, keyScopes, name, limitErrors, limitOf, limitProps, projectLimitFields } from '../forms.ts'
import { withError } from '../submitted.ts'
import type { View, ViewCall } from '../routing/page.ts'

const keyForm = z.object({
  name,
  scopes: keyScopes,
  ...projectLimitFields,
  expires_in_days: z
    .string()
    .default('')
    .transform((days) => (days === '' ? undefined : Number(days)))
    .pipe(
      z
        .int('Choose when the key expires.')
        .min(1, 'Choose when the key expires.')
        .max(3650, 'A key can be valid for ten years at most.')
        .optional(),
    ),
})

type Parts = Pick<Dependencies, 'keys' | 'projects' | 'settings'>

export const keyPages = ({ keys, projects, settings }: Parts): View[] => [
  {
    method: 'GET',
    path: paths.apiKeys,
    async handle(call) {
      const found = (await keysOf(keys, call)).toReversed()
      call.show(renderApiKeys({ ...call.signedIn(), keys: found.map(keyRow) }))
    },
  },
  {
    method: 'GET',
    path: paths.apiKeyNew,
    handle: (call) => showForm(call, projects, {}, DEFAULT_SCOPES),
  },
  {
    method: 'POST',
    path: paths.apiKeys,
    hasScript: true,
    async handle(call) {
      const { actor, submitted } = call
      const { data, state } = submitted(keyForm)
      const errors = data === undefined ? {} : limitErrors(data)
      if (data === undefined || Object.keys(errors).length > 0)
        return showForm(call, projects, { ...state, errors: { ...state.errors, ...errors } }, chosenKeyScopes(call), 422)
      const { name: keyName, scopes: chosen, expires_in_days: expiresInDays } = data
      let key: string
      try {
        key = (await keys.create(actor, { name: keyName, scopes: chosen, projects: limitOf(data), expiresInDays })).key
      } catch (error) {
        const form = withError(state, error, { too_many_keys: 'name', project_not_found: 'projects', invalid_request: 'scopes' })
        return showForm(call, projects, form, chosenKeyScopes(call), 422)
      }
      const props = { key, name: keyName, baseUrl: settings.baseUrl() }
      await call.showOnce(paths.apiKeys, (page) => renderApiKeyCreated({ ...page, ...props }))
    },
  },
  {
    method: 'GET',
    path: paths.apiKeyRevoke(':id'),
    async handle(call) {
      const key = (await keysOf(keys, call)).find(({ id }) => id === call.id)
      if (key === undefined) throw fail('key_not_found', 'You have no such API key.')
      call.show(renderApiKeyRevoke({ ...call.signedIn(), key: keyRow(key) }))
    },
  },
  {
    method: 'POST',
    path: paths.apiKeyRevoke(':id'),
    async handle({ actor, id, goTo }) {
      await keys.delete(actor, id)
      goTo(paths.apiKeys, 'key_revoked')
    },
  },
]

async function showForm(
  call: ViewCall,
  projects: Dependencies['projects'],
  form: FormState<keyof z.output<typeof keyForm>>,
  chosen: readonly KeyScope[],
  status = 200,
): Promise<void> {
  const limit = await limitProps(call, projects)
  call.show(
    renderApiKeyNew({ ...call.signedIn(), form, scopes: isOwner(call.actor) ? KEY_SCOPES : SCOPES, chosenScopes: chosen, limit }),
    status,
  )
}

function keysOf(keys: Dependencies['keys'], { actor }: ViewCall): Promise<OwnKey[]> {
  return listAll((page) => keys.list(actor, page))
}

function keyRow({ id, name, scopes, projects, lastFour, createdAt, lastUsedAt, expiresAt }: OwnKey): ApiKeyRow {
  return {
    id,
    name,
    scopes,
    projects: projects && projects.map((project) => project.name),
    lastFour,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
  }
}
