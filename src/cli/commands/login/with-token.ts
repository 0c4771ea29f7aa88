import type { SavedIn } from '../../../client/credentials/secrets.ts'
import type { Me } from '../../../contract/account.ts'
import type { Context, CommandIo } from '../../context.ts'
import { usage } from '../../exit.ts'
import { canAsk } from '../../io.ts'

/** Stores an API key from standard input or the prompt. */
export async function logInWithToken(context: Context, address: string): Promise<{ me: Me; place: SavedIn }> {
  const token = await readSecret(context.io, 'API key')
  if (token === '') throw usage('Standard input is empty. Pass the API key on standard input.')
  // Only a key that works is stored.
  const me = await (await context.clientWith(token, address)).me()
  const credentials = await context.credentials()
  // The stored credential must stay readable, whatever the instance says about it.
  const kind = me.authentication.method === 'access_token' ? 'access_token' : 'api_key'
  return { me, place: await credentials.saveKey(address, { token, kind }) }
}

const MAX_BYTES = 10_000

/** Reads a secret from a prompt on a terminal, else from standard input; '' when there is none. Never from the arguments, which other users can see. */
export async function readSecret(io: CommandIo, what: string): Promise<string> {
  if (canAsk(io)) return checked(await (await io.prompts()).password({ message: `Enter the ${what}` }), what)
  let text = ''
  for await (const part of io.stdin) {
    text += String(part)
    if (text.length > MAX_BYTES) throw usage(`Standard input is too long. Pass only the ${what}.`)
  }
  return checked(text, what)
}

function checked(text: string, what: string): string {
  const secret = text.trim()
  if (/^[\x21-\x7e]*$/.test(secret)) return secret
  throw usage(`Standard input does not contain a valid ${what}.`)
}
