import type { OAuthLogin } from '../credentials/oauth-login.ts'
import { DocsearchError } from '../../core/errors.ts'
import { ClientError } from '../errors.ts'
import { type OAuthClient, type OAuthInstance, denied, timedOut, type Waiting } from './instance.ts'
import { openLoopback, type Callback } from './loopback.ts'
import { requestTokens } from './tokens.ts'
import { createHash, randomBytes } from 'node:crypto'

export interface BrowserLoginOptions extends Waiting {
  client: OAuthClient
  scope: string
  /** Receives the address that the browser must open. */
  onAddress: (address: string) => void
}

const LIMIT_MS = 5 * 60_000

/**
 * Logs in with an authorization code, PKCE and a loopback redirect (RFC 8252, 7636, 9207). The code is exchanged while the browser waits, so that its
 * page can show the result.
 * Throws DocsearchError `login_denied`, `login_mismatch`, `login_timed_out`, `login_refused`, `loopback_unavailable`; ClientError.
 */
export async function logInByBrowser(instance: OAuthInstance, options: BrowserLoginOptions): Promise<OAuthLogin> {
  const [state, verifier] = [randomText(), randomText()]
  const authorization = instance.endpoint('authorization')
  const loopback = await openLoopback()
  try {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: options.client.id,
      redirect_uri: loopback.redirectUri,
      scope: options.scope,
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    })
    options.onAddress(`${authorization}?${query}`)
    const callback = await waitFor(loopback.callback, options)
    return await answering(callback, instance.address, async () => {
      const code = codeOf(callback.parameters, state, instance)
      const grant = { grant_type: 'authorization_code', code, redirect_uri: loopback.redirectUri, code_verifier: verifier }
      return requestTokens(instance, options.client, grant, { refreshToken: null, scope: options.scope })
    })
  } finally {
    loopback.close()
  }
}

async function waitFor(callback: Promise<Callback>, { wait, signal }: Waiting): Promise<Callback> {
  const enough = new AbortController()
  const limit = wait(LIMIT_MS, AbortSignal.any([signal, enough.signal])).then(() => {
    throw signal.aborted
      ? new ClientError('aborted', 'Cancelled.')
      : timedOut(`The browser did not return within ${LIMIT_MS / 60_000} minutes`)
  })
  try {
    return await Promise.race([callback, limit])
  } finally {
    enough.abort()
    limit.catch(() => {
      // Either the browser has returned, or the race above throws this error.
    })
  }
}

/** Shows the result in the browser, then returns or throws it. */
async function answering<T>(callback: Callback, address: string, act: () => Promise<T>): Promise<T> {
  try {
    const value = await act()
    await callback.show({
      status: 200,
      title: 'You are logged in',
      text: `The command line can now use ${address} as you. You can close this window.`,
    })
    return value
  } catch (error) {
    const text = error instanceof DocsearchError ? error.message : 'The login failed. See the terminal for the reason.'
    await callback.show({ status: 400, title: 'The login failed', text: `${text} You can close this window.` })
    throw error
  }
}

function codeOf(parameters: URLSearchParams, state: string, instance: OAuthInstance): string {
  const one = (name: string) => (parameters.getAll(name).length > 1 ? null : parameters.get(name))
  if (one('state') !== state) {
    throw mismatch('The response does not belong to this login (wrong state) and was ignored.')
  }
  const issuer = one('iss')
  if (issuer === null ? instance.sendsIssuer || parameters.has('iss') : issuer !== instance.address) {
    throw mismatch(`The response is not from ${instance.address} (wrong issuer) and was ignored.`)
  }
  const error = one('error')
  if (error !== null) throw denied(error, one('error_description'), instance.address)
  const code = one('code')
  if (code !== null && code !== '') return code
  throw new ClientError('invalid_answer', `${instance.address} returned the browser without a code.`)
}

function mismatch(message: string): DocsearchError {
  return new DocsearchError('login_mismatch', `${message} Try again with \`docsearch login\`.`)
}

/** Returns 256 random bits as `[A-Za-z0-9_-]`, for a state or a code verifier (RFC 7636 section 4.1). */
function randomText(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the S256 challenge of a verifier (RFC 7636 section 4.2). */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
