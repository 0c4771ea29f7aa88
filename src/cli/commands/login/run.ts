import { normaliseAddress } from '../../../client/address.ts'
import type { Place } from '../../../client/credentials/secrets.ts'
import { readProfiles, saveProfile } from '../../../client/profiles.ts'
import type { Me } from '../../../contract/account.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../exit.ts'
import { oneLine } from '../../view/safe.ts'
import { logInWithOAuth } from './oauth.ts'
import type { OAuthOptions } from './oauth.ts'
import { readSecret } from './secret.ts'

export interface LoginOptions extends OAuthOptions {
  withToken?: boolean
}

export async function run(context: Context, [url]: string[], options: LoginOptions): Promise<void> {
  const { address, profile } = url === undefined ? await context.target() : named(context, url)
  const { me, place } = options.withToken
    ? await logInWithToken(context, address)
    : await logInWithOAuth(context, address, options)
  if (profile !== null) await keepProfile(context, profile, address)

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
    const where = place.source === 'keychain' ? '; kept in the system keychain' : ''
    context.print(`Logged in to ${address} as ${oneLine(me.user.name)} (${me.scopes.join(', ')})${where}\n`)
  }
  if (context.io.env['DOCSEARCH_TOKEN']) context.notice('DOCSEARCH_TOKEN is set and goes before what was kept.')
}

async function logInWithToken(context: Context, address: string): Promise<{ me: Me; place: Place }> {
  const token = await readSecret(context.io, 'Key')
  if (token === '') throw usage('Standard input is empty; it should hold the key.')
  // Asked before it is kept: a key that does not work is of no use to anybody.
  const me = await (await context.clientWith(token, address)).me()
  const credentials = await context.credentials()
  return { me, place: await credentials.set(address, { token, kind: me.authentication.method }) }
}

function named({ globals }: Context, url: string): { address: string; profile: string } {
  const address = normaliseAddress(url)
  return { address, profile: globals.profile ?? new URL(address).host }
}

/** So that later commands find the instance again by a name; the first one becomes what a command without a name means. */
async function keepProfile({ io, notice }: Context, name: string, address: string): Promise<void> {
  const known = await readProfiles(io.env)
  const first = known.default === undefined
  await saveProfile(io.env, name, { server: address }, first)
  if (known.default !== name) notice(first ? `Commands without --server now mean ${address}.` : `Use it with --profile ${name}.`)
}
