import type { SavedIn } from '../../../client/credentials/secrets.ts'
import type { Me } from '../../../contract/account.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../exit.ts'
import { readSecret } from './secret.ts'

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
