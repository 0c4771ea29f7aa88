import type { OAuthLogin } from '../../client/credentials/oauth-login.ts'
import { forgetDefault } from '../../client/profiles.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { Context } from '../context.ts'

// A logout is not to hang on an instance that is gone.
const IDLE_MS = 10_000

/** Ends a login at the instance, then forgets it here; an instance that cannot be told does not keep it from being forgotten. */
export async function run(context: Context): Promise<void> {
  const { address } = await context.target()
  const credentials = await context.credentials()
  const { removed, login, failure } = await credentials.exclusively(
    address,
    async () => {
      const login = (await credentials.kept(address).catch(ignoreUnreadable))?.login
      const failure = login === undefined ? null : await revoke(context, address, login)
      return { removed: await credentials.delete(address), login, failure }
    },
    context.io.signal,
  )
  if (!removed) throw new DocsearchError('not_logged_in', `Not logged in to ${address}: nothing is kept for it.`)
  await forgetDefault(context.io.env, address)

  if (context.json) context.printJson({ server: address, logged_out: true, revoked: login !== undefined && failure === null })
  else context.print(`Logged out of ${address}\n`)
  if (login === undefined) context.notice('The key itself is still good; `docsearch keys delete` ends it.')
  if (failure !== null) {
    context.notice(
      `It is forgotten here, but the instance could not be told: ${failure.message} End it in its web page under Connected applications.`,
    )
  }
  if (context.io.env['DOCSEARCH_TOKEN']) context.notice('DOCSEARCH_TOKEN is set and is still used.')
}

/** Null when the instance has ended it. */
async function revoke({ io, userAgent }: Context, address: string, login: OAuthLogin): Promise<DocsearchError | null> {
  const { discover } = await import('../../client/oauth/instance.ts')
  const { revokeLogin } = await import('../../client/oauth/tokens.ts')
  try {
    await revokeLogin(await discover({ address, userAgent, signal: io.signal, idleMs: IDLE_MS }), login)
    return null
  } catch (error) {
    if (!(error instanceof DocsearchError) || error.code === 'aborted') throw error
    return error
  }
}

function ignoreUnreadable(): null {
  return null // What cannot be read can still be forgotten.
}
