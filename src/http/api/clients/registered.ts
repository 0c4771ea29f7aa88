import type { z } from 'zod'
import type {
  OAuthClient,
  OAuthClientCreated,
  oauthClientCreate,
  OAuthClientList,
  OAuthClientRotate,
  OAuthClientRotated,
  oauthClientUpdate,
} from '../../../contract/clients.ts'
import type { OAuthClientRecord } from '../../../core/model.ts'
import type { ClientRegistry } from '../../../oauth/oauth.ts'
import { fail } from '../../problems.ts'
import { presentClient } from './present.ts'

/**
 * The applications a user has registered, in the words of the wire: behind the endpoints, and behind the command line where it works
 * on a data folder. Another user's are not there.
 */
export function registeredClients(registry: ClientRegistry, ownerId: string) {
  return {
    async list(): Promise<OAuthClientList> {
      return { clients: (await registry.list(ownerId)).map(presentClient) }
    },

    async create({ name, redirect_uris, type, scopes }: z.output<typeof oauthClientCreate>): Promise<OAuthClientCreated> {
      const made = await registry.create({ ownerId, name, type, redirectUris: redirect_uris, ...(scopes && { scopes }) })
      return withSecret(made.client, made.secret)
    },

    async get(id: string): Promise<OAuthClient> {
      const client = await registry.get(id)
      if (client === null || client.ownerId !== ownerId) throw notFound(id)
      return presentClient(client)
    },

    async update(id: string, { name, redirect_uris, scopes }: z.output<typeof oauthClientUpdate>): Promise<OAuthClient> {
      const client = await registry.update(ownerId, id, {
        ...(name !== undefined && { name }),
        ...(redirect_uris && { redirectUris: redirect_uris }),
        ...(scopes && { scopes }),
      })
      if (client === null) throw notFound(id)
      return presentClient(client)
    },

    async rotate(id: string, { grace_seconds }: OAuthClientRotate): Promise<OAuthClientRotated> {
      const rotated = await registry.rotate(ownerId, id, grace_seconds)
      if (rotated === null) throw notFound(id)
      const { client, secret, oldUntil } = rotated
      return { ...withSecret(client, secret), client_secret: secret, old_secrets_expire_at: oldUntil.toISOString() }
    },

    async delete(id: string): Promise<void> {
      if (!(await registry.delete(ownerId, id))) throw notFound(id)
    },
  }
}

/** The secret next to the id: the two are copied together. */
function withSecret(client: OAuthClientRecord, secret: string | null): OAuthClientCreated {
  const { client_id, ...rest } = presentClient(client)
  return { client_id, ...(secret !== null && { client_secret: secret }), ...rest }
}

function notFound(id: string): Error {
  return fail('client_not_found', `You have no application ${JSON.stringify(id.slice(0, 100))}.`)
}
