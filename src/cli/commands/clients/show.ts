import type { OAuthClient } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import { formatFields } from '../../view/table.ts'
import { administer, type AdministrationOptions } from '../administer.ts'

export async function run(context: Context, [id = '']: string[], options: AdministrationOptions): Promise<void> {
  showClient(context, await administer(context, options, ({ clients }) => clients.get(id)))
}

/** With the secret, where there is a new one. */
export function showClient(context: Context, client: OAuthClient & { client_secret?: string | undefined }): void {
  if (context.json) return context.printJson(client)
  context.print(
    formatFields(
      [
        ['client_id', client.client_id],
        ['client_secret', client.client_secret],
        ['name', client.name],
        ['type', client.type],
        ...client.redirect_uris.map((uri) => ['redirect_uri', uri] as const),
        ['scopes', client.scopes.join(' ')],
        // A new one stands there whole.
        ...client.secrets
          .slice(client.client_secret === undefined ? 0 : 1)
          .map(
            (secret) =>
              ['secret', `…${secret.last_four}${secret.expires_at === null ? '' : `, good until ${secret.expires_at}`}`] as const,
          ),
        ['created', client.created_at],
        ['updated', client.updated_at],
      ],
      context.table,
    ),
  )
  if (client.client_secret !== undefined) context.notice('The secret is shown this once.')
}
