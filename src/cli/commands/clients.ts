import type { OAuthClient } from '../../contract/clients.ts'
import { isIdSuffix } from '../../core/ids.ts'
import { DEFAULT_SCOPES, SCOPES } from '../../core/model.ts'
import type { Context } from '../context.ts'
import { defineCommand, defineNoun } from '../define.ts'
import { EXIT } from '../exit.ts'
import { argument, choice, duration, flag, option, repeatable, required, text, yes } from '../options.ts'
import { formatFields, formatTable } from '../view/table.ts'
import { shownMoment, shownTime } from '../view/time.ts'
import { administer, type Administration, DATA_OPTIONS } from './administer.ts'
import { confirm } from './confirm.ts'
import { endsWith, onlyMatch } from './find.ts'

const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List applications',
  options: DATA_OPTIONS,
  examples: ['docsearch clients list'],
  async run(context, _args, options) {
    const { clients } = await administer(context, options, (administration) => administration.clients.list())
    if (context.json) context.printJson({ clients })
    else if (clients.length === 0) context.notice('No applications.')
    else {
      const rows = clients.map((client) => [
        client.client_id,
        client.name,
        client.type,
        client.scopes.join(','),
        client.redirect_uris.join(' '),
        shownTime(client.created_at, context.terminal),
      ])
      await context.printLong(formatTable(['ID', 'NAME', 'TYPE', 'SCOPES', 'REDIRECTS', 'CREATED'], rows, context.table))
    }
    return clients.length === 0 ? EXIT.nothing : EXIT.done
  },
})

const show = defineCommand({
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
function printApplication(context: Context, application: OAuthClient & { client_secret?: string | undefined }): void {
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

const create = defineCommand({
  name: 'create',
  summary: 'Register an application',
  description: 'Register an application and print its client ID and secret. The secret is shown only once.',
  arguments: { name: argument('<name>', 'Name that users see when the application asks for access') },
  options: {
    ...DATA_OPTIONS,
    redirectUris: required(repeatable(text('--redirect-uri <url>', 'Address to which docsearch sends users back, repeatable'))),
    isPublic: flag('--public', 'The application cannot keep a secret and uses PKCE instead'),
    scopes: repeatable(
      choice(
        '--scope <scope>',
        `Permission that the application may ask for, repeatable (default ${DEFAULT_SCOPES.join(' and ')})`,
        SCOPES,
      ),
    ),
  },
  examples: [
    'docsearch clients create Reader --redirect-uri https://app.example.org/back',
    'docsearch clients create Notes --redirect-uri http://127.0.0.1/back --public',
  ],
  async run(context, { name }, options) {
    const created = await administer(context, options, ({ clients }) =>
      clients.create({
        name,
        redirect_uris: options.redirectUris,
        type: options.isPublic ? 'public' : 'confidential',
        ...(options.scopes.length > 0 && { scopes: options.scopes }),
      }),
    )
    printApplication(context, created)
  },
})

const MAX_GRACE_SECONDS = 30 * 86_400

const rotate = defineCommand({
  name: 'rotate',
  summary: 'Create a new secret for an application',
  description: 'Create a new secret for an application and print it. The secret is shown only once.',
  arguments: { id: argument('<client-id>', 'Client ID of the application') },
  options: {
    ...DATA_OPTIONS,
    grace: option(
      '--grace <duration>',
      'How long the old secret stays valid: 0, 30m, 12h, 7d (default 1d)',
      duration(MAX_GRACE_SECONDS),
    ),
  },
  examples: ['docsearch clients rotate app_01h… --grace 1h'],
  async run(context, { id }, options) {
    const rotated = await administer(context, options, async (administration) =>
      administration.clients.rotate(await clientIdOf(administration, id), { grace_seconds: options.grace }),
    )
    printApplication(context, rotated)
    context.notice(`The old secret stays valid until ${rotated.old_secrets_expire_at}.`)
  },
})

const remove = defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete an application',
  description: 'Delete an application. It loses access to the documents of every user.',
  arguments: { id: argument('<client-id>', 'Client ID of the application') },
  options: { ...DATA_OPTIONS, yes },
  examples: ['docsearch clients delete app_01h… --yes'],
  async run(context, { id }, options) {
    await administer(context, options, async (administration) => {
      const { clients } = administration
      const application = await clients.get(await clientIdOf(administration, id))
      const question = `Delete application ${application.name}? It loses access to the documents of every user.`
      await confirm(context, options.yes, question)
      await clients.delete(application.client_id)
      if (context.json) context.printJson({ client_id: application.client_id, deleted: true })
      else context.printLine(`Deleted application ${application.name}`)
    })
  },
})

/** Returns the client ID to ask the instance for. Finds the application if the argument may be the end of an ID, as tables show it. */
async function clientIdOf({ clients }: Administration, given: string): Promise<string> {
  if (!isIdSuffix(given)) return given
  const all = (await clients.list()).clients.map((application) => ({ ...application, id: application.client_id }))
  if (all.some(({ id }) => id === given)) return given
  const missing = { code: 'client_not_found', message: `There is no application ${JSON.stringify(given)}.` } as const
  const matches = all.filter(({ id }) => endsWith(id, given))
  return onlyMatch(matches, { given, nouns: 'applications', missing, describe: ({ id, name }) => `${id} (${name})` }).id
}

export default defineNoun({
  name: 'clients',
  summary: 'Register, list, show, rotate and delete applications',
  description: 'Register, list, show, rotate and delete applications (OAuth clients), which may ask users for access.',
  options: DATA_OPTIONS,
  commands: [create, list, show, rotate, remove],
  standalone: list,
})
