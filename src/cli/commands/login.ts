import { normaliseAddress } from '../../client/address.ts'
import { readProfiles, saveProfile } from '../../client/profiles.ts'
import { usage } from '../exit.ts'
import type { Context } from '../context.ts'
import { canAsk } from '../io.ts'
import { oneLine } from '../view/safe.ts'

const MAX_TOKEN_BYTES = 10_000

export async function run(context: Context, [url]: string[], options: { withToken?: boolean }): Promise<void> {
  if (options.withToken !== true) {
    throw usage(
      'Logging in through the browser comes with the account pages. Until then make a key (`docsearch keys create NAME` where you are logged in) ' +
        'and hand it over: `docsearch login URL --with-token < FILE`.',
    )
  }
  const address = url === undefined ? (await context.target()).address : normaliseAddress(url)
  const token = await readToken(context)
  // Asked before it is kept: a key that does not work is of no use to anybody.
  const me = await (await context.clientWith(token, address)).me()
  const stored = await (await context.credentials()).set(address, { token, kind: me.authentication.method })
  const profile = url === undefined ? null : await keepProfile(context, address)

  if (context.json)
    context.printJson({
      server: address,
      user: me.user,
      scopes: me.scopes,
      stored: stored.source,
      file: stored.source === 'file' ? stored.file : null,
      profile,
    })
  else context.print(`Logged in to ${address} as ${oneLine(me.user.name)} (${me.scopes.join(', ')})\n`)
  if (context.io.env['DOCSEARCH_TOKEN']) context.notice('DOCSEARCH_TOKEN is set and goes before the key that was kept.')
}

/** So that later commands find the instance again by a name; the first one becomes what a command without a name means. */
async function keepProfile(context: Context, address: string): Promise<string> {
  const { env } = context.io
  const known = await readProfiles(env)
  const name = context.globals.profile ?? new URL(address).host
  const first = known.default === undefined
  await saveProfile(env, name, { server: address }, first)
  context.notice(first ? `Commands without --server now mean ${address}.` : `Use it with --profile ${name}.`)
  return name
}

async function readToken(context: Context): Promise<string> {
  const { stdin } = context.io
  if (canAsk(context.io)) return checked(await (await context.io.prompts()).password({ message: 'Key' }))
  let text = ''
  for await (const part of stdin) {
    text += String(part)
    if (text.length > MAX_TOKEN_BYTES) throw usage('Standard input holds more than a key.')
  }
  return checked(text)
}

function checked(text: string): string {
  const token = text.trim()
  if (token === '') throw usage('Standard input is empty; it should hold the key.')
  if (!/^[\x21-\x7e]+$/.test(token)) throw usage('Standard input holds something that is not a key.')
  return token
}
