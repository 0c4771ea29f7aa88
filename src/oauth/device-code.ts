import { hashSecret } from '../core/secrets.ts'
import type { Clock } from '../core/clock.ts'
import type { DeviceRecord } from '../records/oauth-records.ts'
import { required, type Grant, type OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import { stillRegistered } from './scopes.ts'
import { newTokens } from './tokens.ts'

/** The device code grant (RFC 8628 section 3.4). The device repeats its request until the user has decided. */
export const deviceCode: Grant = async (context, application, fields) => {
  const { records, clock } = context
  const sha256 = hashSecret(required(fields, 'device_code'))
  const device = await records.devices.find(sha256)
  if (device === null || device.clientId !== application.id || device.status === 'redeemed') throw refused()
  checkExpiry(device, clock)
  if (device.status === 'denied') throw new OAuthError('access_denied', 'The user declined.')
  if (device.status === 'pending') throw await stillPending(context, sha256)
  const { tokens, answer } = newTokens(clock, stillRegistered(device.scopes, application))
  if ((await records.devices.redeem(sha256, tokens)) === null) throw refused()
  return answer
}

function checkExpiry({ expiresAt }: DeviceRecord, clock: Clock): void {
  if (expiresAt <= clock.now()) throw new OAuthError('expired_token', 'The device code has expired. Start again with a new one.')
}

async function stillPending({ records }: OAuthContext, sha256: string): Promise<OAuthError> {
  if (await records.devices.poll(sha256))
    return new OAuthError('slow_down', 'This request came too soon. Wait 5 seconds longer between requests from now on.')
  return new OAuthError('authorization_pending', 'The user has not decided yet.')
}

function refused(): OAuthError {
  return new OAuthError('invalid_grant', 'The device code is unknown, already used, or belongs to another application.')
}
