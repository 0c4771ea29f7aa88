import { z } from 'zod'
import { DEFAULT_SCOPES, SCOPES, type ApiKeyRecord } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import {
  renderApiKeyCreated,
  renderApiKeyNew,
  renderApiKeyRevoke,
  renderApiKeys,
  type ApiKeyRow,
} from '../../../pages/settings/api-keys.tsx'
import type { Dependencies } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import { listAll } from '../list-all.ts'
import { chosenScopes, name, scopes } from '../forms/fields.ts'
import { withError } from '../forms/submitted.ts'
import type { Page, PageCall } from '../routing/page.ts'

const keyForm = z.object({
  name,
  scopes,
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

type Parts = Pick<Dependencies, 'keys' | 'settings'>

export const keyPages = ({ keys, settings }: Parts): Page[] => [
  {
    method: 'GET',
    path: paths.apiKeys,
    access: 'user',
    async handle(call) {
      const found = (await keysOf(keys, call)).toReversed()
      call.show(renderApiKeys({ ...call.signedIn(), keys: found.map(keyRow) }))
    },
  },
  {
    method: 'GET',
    path: paths.apiKeyNew,
    access: 'user',
    handle: ({ show, signedIn }) =>
      show(renderApiKeyNew({ ...signedIn(), form: {}, scopes: SCOPES, chosenScopes: DEFAULT_SCOPES })),
  },
  {
    method: 'POST',
    path: paths.apiKeys,
    access: 'user',
    async handle(call) {
      const { actor, submitted, show, signedIn } = call
      const { data, state } = submitted(keyForm)
      if (data === undefined) {
        return show(renderApiKeyNew({ ...signedIn(), form: state, scopes: SCOPES, chosenScopes: chosenScopes(call) }), 422)
      }
      const { name: keyName, scopes: chosen, expires_in_days: expiresInDays } = data
      let key: string
      try {
        key = (await keys.create(actor, { name: keyName, scopes: chosen, expiresInDays })).key
      } catch (error) {
        const form = withError(state, error, { too_many_keys: 'name' })
        return show(renderApiKeyNew({ ...signedIn(), form, scopes: SCOPES, chosenScopes: chosenScopes(call) }), 422)
      }
      show(renderApiKeyCreated({ ...signedIn(), key, name: keyName, baseUrl: settings.baseUrl() }))
    },
  },
  {
    method: 'GET',
    path: paths.apiKeyRevoke(':id'),
    access: 'user',
    async handle(call) {
      const key = (await keysOf(keys, call)).find(({ id }) => id === call.id)
      if (key === undefined) throw fail('key_not_found', 'You have no such API key.')
      call.show(renderApiKeyRevoke({ ...call.signedIn(), key: keyRow(key) }))
    },
  },
  {
    method: 'POST',
    path: paths.apiKeyRevoke(':id'),
    access: 'user',
    async handle({ actor, id, goTo }) {
      await keys.delete(actor, id)
      goTo(paths.apiKeys, 'key_revoked')
    },
  },
]

function keysOf(keys: Dependencies['keys'], { actor }: PageCall): Promise<ApiKeyRecord[]> {
  return listAll((page) => keys.list(actor, page))
}

function keyRow({ id, name, scopes, lastFour, createdAt, lastUsedAt, expiresAt }: ApiKeyRecord): ApiKeyRow {
  return {
    id,
    name,
    scopes,
    lastFour,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
  }
}
