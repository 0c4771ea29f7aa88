import type { Context } from '../../context.ts'
import { SCOPES } from '../../../core/model.ts'
import { defineCommand } from '../../define.ts'
import { canAsk } from '../../io.ts'
import { choice, flag, optionalArgument, repeatable, text } from '../../options.ts'

export default defineCommand({
  name: 'login',
  summary: 'Log in to an instance',
  description:
    'Log in to an instance through your browser. The login is stored in the system keychain, or else in a file that only you can read.',
  arguments: { url: optionalArgument('[url]', 'Address of the instance') },
  options: {
    device: flag('--device', 'Show a code to enter in a browser on any device (the default over SSH and without a display)'),
    withToken: flag('--with-token', 'Read an API key from standard input instead', {
      conflictsWith: ['device', 'clientId', 'scope'],
    }),
    clientId: text(
      '--client-id <id>',
      'Log in as this registered application; its secret is read from DOCSEARCH_CLIENT_SECRET or standard input',
    ),
    scopes: repeatable(choice('--scope <scope>', 'Permission to ask for, repeatable (default all)', SCOPES)),
  },
  examples: [
    'docsearch login https://docs.example.org',
    'docsearch --profile work login https://docs.example.org --device',
    'docsearch login https://docs.example.org --with-token < key.txt',
    'docsearch login https://docs.example.org --client-id app_01h… < secret.txt',
  ],
  async run(context, { url }, options) {
    const asked = url ?? (await askForInstance(context))
    const { address, profile } = asked === null ? await context.target() : await named(context, asked)
    const { me, place } = options.withToken
      ? await (await import('./with-token.ts')).logInWithToken(context, address)
      : await (await import('./with-oauth.ts')).logInWithOAuth(context, address, options)
    if (profile !== null) await saveAsProfile(context, profile, address)

    if (context.json)
      context.printJson({
        server: address,
        user: me.user,
        scopes: me.scopes,
        stored: place.source,
        file: place.source === 'file' ? place.file : null,
        profile,
      })
    else {
      const where = place.source === 'keychain' ? '; stored in the system keychain' : ''
      context.printLine(`Logged in to ${address} as ${me.user.name} (${me.scopes.join(', ')})${where}`)
    }
    if (context.io.env['DOCSEARCH_TOKEN']) context.notice('DOCSEARCH_TOKEN is set and takes precedence over the saved login.')
  },
})

/** Asks on a terminal which of the known instances to log in to; null when the command line or the environment names one. */
async function askForInstance(context: Context): Promise<string | null> {
  const { io, json, globals } = context
  const { address: fallback, from } = await context.target()
  const isNamed = from === 'flag' || from === 'environment'
  if (isNamed || json || globals.quiet === true || !canAsk(io)) return null
  const { readProfiles } = await import('../../../client/profiles.ts')
  const { normaliseAddress } = await import('../../../client/address.ts')
  const known = Object.values((await readProfiles(io.env)).profiles).map(({ server }) => normaliseAddress(server))
  const stored = (await (await context.credentials()).list()).map(({ address }) => address)
  const addresses = [...new Set([fallback, ...known, ...stored.filter((address) => address.startsWith('http'))])]
  const prompts = await io.prompts()
  const choice = await prompts.select({
    message: 'Which instance do you want to log in to?',
    choices: [...addresses.map((address) => ({ name: address, value: address })), { name: 'Another address', value: '' }],
    default: fallback,
  })
  return choice === '' ? prompts.input({ message: 'Address of the instance' }) : choice === fallback ? null : choice
}

async function named({ globals }: Context, url: string): Promise<{ address: string; profile: string }> {
  const { normaliseAddress } = await import('../../../client/address.ts')
  const address = normaliseAddress(url)
  return { address, profile: globals.profile ?? new URL(address).host }
}

/** Saves the instance under a name; the first one becomes the default of commands that name none. */
async function saveAsProfile({ io, notice }: Context, name: string, address: string): Promise<void> {
  const { readProfiles, saveProfile } = await import('../../../client/profiles.ts')
  const known = await readProfiles(io.env)
  const isFirst = known.default === undefined
  await saveProfile(io.env, name, { server: address }, isFirst)
  if (known.default !== name)
    notice(isFirst ? `Commands without --server now use ${address}.` : `To use this instance, pass --profile ${name}.`)
}
