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
import { fail } from '../../problems.ts'
import { every } from '../every.ts'
import { chosenScopes, name, scopes } from '../fields.ts'
import type { Page, PageCall } from '../page.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const keyForm = z.object({
  name,
  scopes,
  expires_in_days: z
    .string()
    .default('')
    .transform((days) => (days === '' ? null : Number(days)))
    .pipe(
      z.int('Choose how long it is good.').min(1, 'Choose how long it is good.').max(3650, 'Ten years is the most.').nullable(),
    ),
})

export const keyPages: Page[] = [
  {
    method: 'GET',
    path: paths.apiKeys,
    access: 'user',
    async handle(call) {
      const keys = (await keysOf(call)).toReversed()
      call.show(renderApiKeys({ ...call.signedIn(), keys: keys.map(keyRow) }))
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
      const { services, user, submitted, show, signedIn } = call
      const { data, state } = submitted(keyForm)
      if (data === undefined) {
        return show(renderApiKeyNew({ ...signedIn(), form: state, scopes: SCOPES, chosenScopes: chosenScopes(call) }), 422)
      }
      const days = data.expires_in_days
      const { key } = await services.apiKeys.create({
        ownerId: user.id,
        name: data.name,
        scopes: data.scopes,
        expiresAt: days === null ? null : new Date(services.clock.now().getTime() + days * DAY_MS),
        // Somebody with a session may do everything there is.
        maker: null,
      })
      show(renderApiKeyCreated({ ...signedIn(), key, name: data.name, baseUrl: services.http.baseUrl() }))
    },
  },
  {
    method: 'GET',
    path: paths.apiKeyRevoke(':id'),
    access: 'user',
    async handle(call) {
      const key = (await keysOf(call)).find(({ id }) => id === call.id)
      if (key === undefined) throw missing()
      call.show(renderApiKeyRevoke({ ...call.signedIn(), key: keyRow(key) }))
    },
  },
  {
    method: 'POST',
    path: paths.apiKeyRevoke(':id'),
    access: 'user',
    async handle({ services, user, id, goTo }) {
      if (!(await services.records.keys.delete(user.id, id))) throw missing()
      goTo(paths.apiKeys, 'key_revoked')
    },
  },
]

function keysOf({ services, user }: PageCall): Promise<ApiKeyRecord[]> {
  return every((page) => services.records.keys.list(user.id, page))
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

function missing(): Error {
  return fail('key_not_found', 'There is no such key of yours.')
}
