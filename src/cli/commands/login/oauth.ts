import type { OAuthLogin } from '../../../client/credentials/oauth-login.ts'
import type { Place } from '../../../client/credentials/secrets.ts'
import { logInByBrowser } from '../../../client/oauth/browser-login.ts'
import { logInByDevice } from '../../../client/oauth/device-login.ts'
import type { DeviceCode } from '../../../client/oauth/device-login.ts'
import { CLI_CLIENT_ID, discover } from '../../../client/oauth/instance.ts'
import type { OAuthClient, OAuthInstance } from '../../../client/oauth/instance.ts'
import { revokeLogin } from '../../../client/oauth/tokens.ts'
import type { Me } from '../../../contract/account.ts'
import { SCOPES } from '../../../core/model.ts'
import { DocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { wantsColor } from '../../io.ts'
import type { Env } from '../../io.ts'
import { oneLine, safeJson } from '../../view/safe.ts'
import { styles } from '../../view/style.ts'
import { readSecret } from './secret.ts'

export interface OAuthOptions {
  device?: boolean
  clientId?: string
  scope?: string[]
}

/** Logs in as the person at a browser, and keeps what comes of it in place of what was kept for the address. */
export async function logInWithOAuth(
  context: Context,
  address: string,
  options: OAuthOptions,
): Promise<{ me: Me; place: Place }> {
  const { io, userAgent } = context
  const instance = await discover({ address, userAgent, signal: io.signal })
  const client = await clientFrom(context, options.clientId)
  const login = await ask(context, instance, client, options)
  try {
    // Asked before it is kept, as a key is.
    const me = await (await context.clientWith(login.accessToken, address)).me()
    const credentials = await context.credentials()
    const { place, former } = await credentials.exclusively(address, async () => {
      const former = (await credentials.kept(address).catch(ignoreUnreadable))?.login
      return { place: await credentials.keepLogin(address, login), former }
    })
    if (former !== undefined) await endQuietly(instance, former)
    return { me, place }
  } catch (error) {
    await endQuietly(instance, login)
    throw error
  }
}

async function ask(context: Context, instance: OAuthInstance, client: OAuthClient, options: OAuthOptions): Promise<OAuthLogin> {
  const { signal, env, wait } = context.io
  const scope = (options.scope ?? SCOPES).join(' ')
  try {
    if (options.device === true || !hasBrowser(env))
      return await logInByDevice(instance, { client, scope, signal, wait, onCode: (code) => showCode(context, code) })
    return await logInByBrowser(instance, { client, scope, signal, wait, onAddress: (url) => openBrowser(context, url) })
  } catch (error) {
    throw clientRefused(error, instance.address, client) ?? error
  }
}

/** Over SSH a browser would open where nobody sits; so would one without a display. */
function hasBrowser(env: Env): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return false
  if (process.platform !== 'linux') return true
  return ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'].some((name) => env[name])
}

async function clientFrom({ io }: Context, id: string | undefined): Promise<OAuthClient> {
  if (id === undefined) return { id: CLI_CLIENT_ID, secret: null }
  const secret = io.env['DOCSEARCH_CLIENT_SECRET']?.trim() || (await readSecret(io, 'Client secret'))
  return { id, secret: secret === '' ? null : secret }
}

function openBrowser(context: Context, address: string): void {
  tell(context, { event: 'open', url: address }, [`Log in with the browser at ${address}`, 'Waiting for it; Ctrl-C ends this.'])
  context.io.openBrowser(address).catch((error: unknown) => {
    const reason = oneLine(error instanceof Error ? error.message : String(error))
    context.notice(`No browser could be opened (${reason}); open the address above in one on this machine.`)
  })
}

function showCode(context: Context, { userCode, address, completeAddress, expiresInSeconds }: DeviceCode): void {
  const { stderr, env } = context.io
  const { bold } = styles(wantsColor(stderr, env, context.globals.color))
  tell(
    context,
    {
      event: 'code',
      user_code: userCode,
      verification_uri: address,
      verification_uri_complete: completeAddress,
      expires_in: expiresInSeconds,
    },
    [
      '',
      `  Code:  ${bold(oneLine(userCode))}`,
      '',
      `Enter it in a browser at ${bold(oneLine(address))} within ${Math.ceil(expiresInSeconds / 60)} minutes.`,
      'Waiting for it; Ctrl-C ends this.',
    ],
  )
}

/** Without it nobody can go on, so --quiet does not silence it; with --json it is one object on standard error. Text from elsewhere is neutralised already. */
function tell({ json, io }: Context, event: Record<string, unknown>, lines: string[]): void {
  io.stderr.write(json ? `${safeJson(event)}\n` : lines.map((line) => `${line}\n`).join(''))
}

/** What the token endpoint said of the client, with what to do about it. */
function clientRefused(error: unknown, address: string, client: OAuthClient): DocsearchError | null {
  if (!(error instanceof DocsearchError)) return null
  if (error.code === 'invalid_client' || error.code === 'unauthorized_client') {
    return new DocsearchError(
      'login_denied',
      `${address} does not accept the client ${client.id}${client.secret === null ? ' without a secret' : ' with this secret'}. Register one under Settings, OAuth clients, ` +
        `and run \`docsearch login ${address} --client-id ID\` with its secret in DOCSEARCH_CLIENT_SECRET or on standard input.`,
      { cause: error },
    )
  }
  if (error.code !== 'invalid_grant') return null
  return new DocsearchError('login_denied', `${address} did not accept its own code: ${error.message}`, { cause: error })
}

/** A login that nobody uses any more does not stay open; but that it could not be told is no failure of what was asked for. */
async function endQuietly(instance: OAuthInstance, login: OAuthLogin): Promise<void> {
  await revokeLogin(instance, login).catch(() => {
    // It ends by itself, and can be ended under Connected applications.
  })
}

function ignoreUnreadable(): null {
  return null // What cannot be read is about to be replaced.
}
