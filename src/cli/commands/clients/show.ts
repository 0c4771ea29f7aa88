import type { OAuthClient } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { formatFields } from '../../view/table.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { clientIdOf } from './find.ts'
import { shownMoment } from '../../view/time.ts'

export default defineCommand({
  name: 'show',
  summary: 'Show an application',
  arguments: { id: argument('<client-id>', 'Client ID of the application') },
  options: DATA_OPTIONS,
  examples: ['docsearch clients show app_01h…'],
  async run(context, { id }, options) {
    printApplication(
      context,
      await administer(context, options, async (administration) =>
        administration.clients.get(await clientIdOf(administration, id)),
      ),
    )
  },
})

/** Prints an application, with its secret if there is a new one. */
export function printApplication(context: Context, application: OAuthClient & { client_secret?: string | undefined }): void {
  if (context.json) return context.printJson(application)
  const { client_secret: newSecret } = application
  // The list starts with the newest secret, which is printed in full when it is new.
  const listed = application.secrets.slice(newSecret === undefined ? 0 : 1)
  context.print(
    formatFields(
      [
        ['client_id', application.client_id],
        ['client_secret', newSecret],
        ['name', application.name],
        ['type', application.type],
        ...application.redirect_uris.map((uri) => ['redirect_uri', uri] as const),
        ['scopes', application.scopes.join(' ')],
        ...listed.map((secret) => ['secret', describeSecret(secret, context.terminal)] as const),
        ['created', shownMoment(application.created_at, context.terminal)],
        ['updated', shownMoment(application.updated_at, context.terminal)],
      ],
      context.table,
    ),
  )
  if (newSecret !== undefined) context.notice('The secret is shown only once.')
}

function describeSecret({ last_four: lastFour, expires_at: at }: OAuthClient['secrets'][number], terminal: boolean): string {
  return `…${lastFour}${at === null ? '' : `, valid until ${shownMoment(at, terminal)}`}`
}
