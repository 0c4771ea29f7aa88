import type { OAuthLogin } from '../../../client/credentials/oauth-login.ts'
import type { SavedIn } from '../../../client/credentials/secrets.ts'
import { logInByBrowser } from '../../../client/oauth/browser-login.ts'
import { logInByDevice, type DeviceCode } from '../../../client/oauth/device-login.ts'
import { CLI_CLIENT_ID, discover, type OAuthClient, type OAuthInstance } from '../../../client/oauth/instance.ts'
import { revokeLogin } from '../../../client/oauth/tokens.ts'
import type { Me } from '../../../contract/account.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { SCOPES, type Scope } from '../../../core/model.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../exit.ts'
import { canAsk, wantsColor, type Env } from '../../io.ts'
import { joined, oneLine, safeJson, safe, type Printable } from '../../view/safe.ts'
import { styles } from '../../view/style.ts'
import { readSecret } from './with-token.ts'

interface OAuthOptions {
  device: boolean
  clientId: string | undefined
  scopes: Scope[]
}

/** Logs in as the user of a browser, and stores the login in place of the credential stored for the address. */
export async function logInWithOAuth(
  context: Context,
  address: string,
  options: OAuthOptions,
): Promise<{ me: Me; place: SavedIn }> {
  const { io } = context
  const dataDir = await (await context.credentials()).dataDirOf(address)
  const instance = await discover({ address, dataDir, ...(await context.connection()), signal: io.signal })
  requireUser(context, instance, options)
  const client = await chooseClient(context, options.clientId)
  const login = await authorize(context, instance, client, options)
  try {
    // Only a login that works is stored.
    const me = await (await context.clientWith(login.accessToken, address)).me()
    const credentials = await context.credentials()
    const { place, former } = await credentials.exclusively(address, async () => {
      const former = (await credentials.stored(address).catch(ignoreUnreadable))?.login
      return { place: await credentials.saveLogin(address, login), former }
    })
    if (former !== undefined) await revokeQuietly(instance, former)
    return { me, place }
  } catch (error) {
    await revokeQuietly(instance, login)
    throw error
  }
}

async function authorize(
  context: Context,
  instance: OAuthInstance,
  client: OAuthClient,
  options: OAuthOptions,
): Promise<OAuthLogin> {
  const { signal, env, wait } = context.io
  const scope = (options.scopes.length === 0 ? SCOPES : options.scopes).join(' ')
  try {
    if (options.device || !canOpenBrowser(env))
      return await logInByDevice(instance, { client, scope, signal, wait, onCode: (code) => showCode(context, code) })
    return await logInByBrowser(instance, { client, scope, signal, wait, onAddress: (url) => openBrowser(context, url) })
  } catch (error) {
    throw explainRefusal(error, instance.address, client) ?? error
  }
}

/**
 * Throws a usage error when nobody could finish the login, as in CI: there is no terminal and no browser, so it would only wait. `--device`
 * and `--json` say that another program shows the code or the address. `ssh HOST docsearch login` has no terminal, but a user.
 */
function requireUser({ io, json }: Context, { address }: OAuthInstance, { device }: OAuthOptions): void {
  if (device || json || canAsk(io) || isOverSsh(io.env) || canOpenBrowser(io.env)) return
  throw usage(
    `Not a terminal, and there is no browser. Pass --with-token to read an API key from standard input, or --device to show a code for ${address}.`,
  )
}

/** False over SSH, where the browser would open on the wrong machine, and without a display. */
function canOpenBrowser(env: Env): boolean {
  if (isOverSsh(env)) return false
  if (process.platform !== 'linux') return true
  return ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME'].some((name) => env[name])
}

function isOverSsh(env: Env): boolean {
  return Boolean(env['SSH_CONNECTION'] || env['SSH_TTY'])
}

async function chooseClient({ io }: Context, id: string | undefined): Promise<OAuthClient> {
  if (id === undefined) return { id: CLI_CLIENT_ID, secret: null }
  const secret = io.env['DOCSEARCH_CLIENT_SECRET']?.trim() || (await readSecret(io, 'client secret'))
  return { id, secret: secret === '' ? null : secret }
}

function openBrowser(context: Context, address: string): void {
  announce(context, { event: 'open', url: address }, [
    `Log in with your browser at ${address}`,
    'Waiting for the browser. Press Ctrl-C to cancel.',
  ])
  context.io.openBrowser(address).catch((error: unknown) => {
    const reason = oneLine(error instanceof Error ? error.message : String(error))
    context.notice(`Could not open a browser (${reason}). Open the address above in a browser on this machine.`)
  })
}

function showCode(context: Context, { userCode, address, completeAddress, expiresInSeconds }: DeviceCode): void {
  const { stderr, env } = context.io
  const { bold } = styles(wantsColor(stderr, env, context.globals.color))
  announce(
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
      safe`  Code:  ${bold(oneLine(userCode))}`,
      '',
      safe`Enter it in a browser at ${bold(oneLine(address))} within ${Math.ceil(expiresInSeconds / 60)} minutes.`,
      'Waiting for the browser. Press Ctrl-C to cancel.',
    ],
  )
}

/** Prints what the user needs to continue, so even with --quiet; with --json as one object on standard error. */
function announce({ json, io }: Context, event: Record<string, unknown>, lines: Printable[]): void {
  io.stderr.print(json ? `${safeJson(event)}\n` : joined([...lines, ''], '\n'))
}

/** Explains why the token endpoint refused the application, and what to do; null for any other error. */
function explainRefusal(error: unknown, address: string, client: OAuthClient): DocsearchError | null {
  if (!(error instanceof DocsearchError)) return null
  if (error.code === 'invalid_client' || error.code === 'unauthorized_client') {
    const how = client.secret === null ? 'without a secret' : 'with this secret'
    return new DocsearchError(
      'login_denied',
      `${address} does not accept the application ${client.id} ${how}. Register an application in the browser, under Settings, Applications, ` +
        `then run \`docsearch login ${address} --client-id ID\` with its secret in DOCSEARCH_CLIENT_SECRET or on standard input.`,
      { cause: error },
    )
  }
  if (error.code !== 'invalid_grant') return null
  return new DocsearchError('login_denied', `${address} did not accept the code it issued: ${error.message}`, { cause: error })
}

/** Ends a login that is no longer used. A failure is ignored: the command itself has succeeded or reports its own error. */
async function revokeQuietly(instance: OAuthInstance, login: OAuthLogin): Promise<void> {
  await revokeLogin(instance, login).catch(() => {
    // The login expires, and can be ended under Connected applications.
  })
}

function ignoreUnreadable(): null {
  return null // An unreadable credential is about to be replaced.
}
