import type { OAuthLogin } from '../credentials/oauth-login.ts'
import { ClientError } from '../errors.ts'
import { type OAuthClient, type OAuthInstance, denied, timedOut, type Waiting } from './instance.ts'
import { requestTokens } from './tokens.ts'

/** What the user needs to approve the login in any browser. */
export interface DeviceCode {
  userCode: string
  address: string
  /** Address that contains the code; null when the instance gives none. */
  completeAddress: string | null
  expiresInSeconds: number
}

export interface DeviceLoginOptions extends Waiting {
  client: OAuthClient
  scope: string
  onCode: (code: DeviceCode) => void
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const DEFAULT_INTERVAL_S = 5
const SLOWER_S = 5

/**
 * Logs in with the device grant (RFC 8628): the user enters a code in any browser, while this polls at the interval that the instance sets.
 * Retries failed connections until the code expires.
 * Throws DocsearchError `login_denied`, `login_timed_out`, `login_refused`; ClientError.
 */
export async function logInByDevice(instance: OAuthInstance, options: DeviceLoginOptions): Promise<OAuthLogin> {
  const { client, scope, signal } = options
  const { deviceCode, interval, ...shown } = deviceAnswer(await instance.ask('device_authorization', client, { scope }), instance)
  options.onCode(shown)
  let [seconds, left] = [interval, shown.expiresInSeconds]
  for (;;) {
    await options.wait(seconds * 1000, signal)
    if (signal.aborted) throw new ClientError('aborted', 'Cancelled.')
    left -= seconds
    try {
      const grant = { grant_type: GRANT, device_code: deviceCode }
      return await requestTokens(instance, client, grant, { refreshToken: null, scope })
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      if (error.code === 'access_denied') throw denied(error.code, null, instance.address)
      if (error.code === 'expired_token') throw timedOut('The code has expired')
      if (error.code === 'slow_down') seconds += SLOWER_S
      else if (isTemporary(error)) seconds = Math.max(seconds, error.retryAfter ?? 0)
      else if (error.code !== 'authorization_pending') throw error
      if (left <= 0) throw timedOut('The code has expired')
    }
  }
}

function isTemporary(error: ClientError): boolean {
  return error.code === 'unreachable' || error.code === 'timeout' || error.status === 429 || error.status === 503
}

/** Checks the device authorization response (RFC 8628 section 3.2). */
function deviceAnswer(answer: Record<string, unknown> | null, instance: OAuthInstance) {
  const text = (name: string): string | null => {
    const value = answer?.[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const number = (name: string): number | null => {
    const value = answer?.[name]
    return typeof value === 'number' && value > 0 && value < 1e9 ? value : null
  }
  const [deviceCode, userCode, address] = [text('device_code'), text('user_code'), text('verification_uri')]
  const expiresInSeconds = number('expires_in')
  // The user enters a password there, so the address must belong to the instance.
  const isOwn = (url: string | null) => url === null || url.startsWith(`${instance.address}/`)
  const completeAddress = text('verification_uri_complete')
  const isComplete = deviceCode !== null && userCode !== null && address !== null && expiresInSeconds !== null
  if (isComplete && isOwn(address) && isOwn(completeAddress))
    return {
      deviceCode,
      userCode,
      address,
      completeAddress,
      expiresInSeconds,
      interval: number('interval') ?? DEFAULT_INTERVAL_S,
    }
  throw new ClientError('invalid_answer', `${instance.address} sent an invalid response to the request for a device code.`)
}
