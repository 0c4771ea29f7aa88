import type { Credential } from '../../client/credentials/secrets.ts'
import type { OAuthLogin } from '../../client/credentials/oauth-login.ts'
import type { Me } from '../../contract/account.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { Context } from '../context.ts'
import { defineCommand } from '../define.ts'
import { namesOfLimit, usageFields } from '../view/limits.ts'
import { formatFields } from '../view/table.ts'
import { shownMoment } from '../view/time.ts'

export default defineCommand({
  name: 'whoami',
  summary: 'Show who is logged in, where and how',
  examples: ['docsearch whoami --json'],
  run: showCaller,
})

async function showCaller(context: Context): Promise<void> {
  const { address, from, profile } = await context.target()
  const client = await context.client()
  const me = await client.me()
  const credentials = await context.credentials()
  // Read after the request, which may have renewed the login.
  const credential = await credentials.get(address)
  const source = credential?.source ?? 'environment'
  const file = source === 'file' ? credentials.fileOf(address) : null
  const renewable = await renewableUntil(context, address, credential?.login)
  if (context.json) {
    return context.printJson({
      server: address,
      server_from: from,
      profile,
      credential_from: source,
      credential_file: file,
      client_id: credential?.login?.clientId ?? null,
      renewable_until: renewable?.toISOString() ?? null,
      ...me,
    })
  }
  context.print(
    formatFields(
      [
        ['user', me.user.name],
        ['email', me.user.email],
        ['role', me.user.role],
        ['server', `${address} (${from})`],
        ['profile', profile],
        ['credential', describe(me, credential)],
        ['stored in', file ?? (source === 'keychain' ? 'the system keychain' : 'DOCSEARCH_TOKEN')],
        ['scopes', me.scopes.join(', ')],
        ['limited to', namesOfLimit(me.projects)],
        ['expires', shownMoment(me.expires_at, context.terminal)],
        ['renewed', renewal(credential?.login, renewable, context.terminal)],
        ...usageFields(context, me),
      ],
      context.table,
    ),
  )
}

function describe({ authentication }: Me, credential: Credential | null): string {
  if (authentication.method === 'api_key') return `API key ${authentication.name ?? authentication.id}`
  return `${credential?.kind === 'oauth' ? 'login' : 'access token'} of ${authentication.name ?? credential?.login?.clientId ?? authentication.id}`
}

function renewal(login: OAuthLogin | undefined, until: Date | null, terminal: boolean): string | null {
  if (login === undefined || login.refreshToken === null) return null
  return until === null ? 'automatically' : `automatically, if used before ${shownMoment(until.toISOString(), terminal)}`
}

/** Null when the instance doesn't say. The command works without it. */
async function renewableUntil(context: Context, address: string, login: OAuthLogin | undefined): Promise<Date | null> {
  if (login === undefined) return null
  const { discover } = await import('../../client/oauth/instance.ts')
  const { renewableUntil } = await import('../../client/oauth/tokens.ts')
  const { io } = context
  try {
    const dataDir = await (await context.credentials()).dataDirOf(address)
    return await renewableUntil(await discover({ address, dataDir, ...(await context.connection()), signal: io.signal }), login)
  } catch (error) {
    if (!(error instanceof DocsearchError) || error.code === 'aborted') throw error
    return null
  }
}
