import type { OAuthLogin } from '../../client/credentials/oauth-login.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { Context } from '../context.ts'
import { defineCommand } from '../define.ts'

// Logging out must not hang on an instance that no longer answers.
const IDLE_MS = 10_000

export default defineCommand({
  name: 'logout',
  summary: 'Log out of an instance',
  description:
    'End the login at the instance and delete it from this machine, even if the instance cannot be reached. ' +
    'A saved API key is only deleted from this machine.',
  examples: ['docsearch logout'],
  async run(context) {
    const { address } = await context.target()
    const credentials = await context.credentials()
    const { isRemoved, login, failure } = await credentials.exclusively(
      address,
      async () => {
        const login = (await credentials.stored(address).catch(ignoreUnreadable))?.login
        const failure = login === undefined ? null : await revoke(context, address, login)
        return { isRemoved: await credentials.delete(address), login, failure }
      },
      context.io.signal,
    )
    const isReleased = await credentials.releaseLocal(address)
    if (!isRemoved && !isReleased) throw new DocsearchError('not_logged_in', `Not logged in to ${address}.`)
    const { forgetDefault } = await import('../../client/profiles.ts')
    await forgetDefault(context.io.env, address)

    if (context.json) context.printJson({ server: address, logged_out: true, revoked: login !== undefined && failure === null })
    else context.printLine(`Logged out of ${address}`)
    if (login === undefined) context.notice('The API key itself is still valid. Delete it with `docsearch keys delete`.')
    if (failure !== null) {
      context.notice(
        `The login is deleted from this machine, but the instance could not end it: ${failure.message} End it in the browser, under Settings, Connected applications.`,
      )
    }
    if (context.io.env['DOCSEARCH_TOKEN']) context.notice('DOCSEARCH_TOKEN is still set and will be used.')
  },
})

/** Null when the instance has ended the login. */
async function revoke(
  { io, connection, credentials }: Context,
  address: string,
  login: OAuthLogin,
): Promise<DocsearchError | null> {
  const { discover } = await import('../../client/oauth/instance.ts')
  const { revokeLogin } = await import('../../client/oauth/tokens.ts')
  try {
    const dataDir = await (await credentials()).dataDirOf(address)
    await revokeLogin(await discover({ address, dataDir, ...(await connection()), signal: io.signal, idleMs: IDLE_MS }), login)
    return null
  } catch (error) {
    if (!(error instanceof DocsearchError) || error.code === 'aborted') throw error
    return error
  }
}

function ignoreUnreadable(): null {
  return null // A login that can't be read can still be deleted.
}
