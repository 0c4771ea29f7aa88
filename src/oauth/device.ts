import { randomInt } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { hashSecret } from '../core/secrets.ts'
import type { DeviceRecord } from '../records/oauth.ts'
import { authenticateApplication } from './authenticate-application.ts'
import { after, type Grant, type OAuthContext, required, requireGrant } from './context.ts'
import { OAuthError } from './errors.ts'
import type { Device } from './oauth.ts'
import { requestedResource, requestedScopes, stillRegistered, tokenResource } from './scopes.ts'
import { LIFETIMES, newSecret, newTokens } from './tokens.ts'

/**
 * No vowels, so no words (RFC 8628 section 6.1). A guess has no chance: there are 20 to the power of 8 codes, they live 10 minutes, and the page
 * limits attempts.
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE = new RegExp(`^[${LETTERS}]{8}$`)
const INTERVAL_SECONDS = 5

/** The device grant (RFC 8628): its first request, and what the page for the user needs. `deviceCode` answers its token requests. */
export function createDevice(context: OAuthContext): Device {
  const { records, applications, clock, issuer } = context
  return {
    async start(request) {
      const application = await authenticateApplication(context, request)
      requireGrant(application, 'urn:ietf:params:oauth:grant-type:device_code')
      const scopes = requestedScopes(request.fields['scope'], application)
      const resource = requestedResource(request.fields['resource'], issuer())
      const [device, user] = [newSecret(), newUserCode()]
      await records.devices.create({
        deviceSha256: hashSecret(device),
        userSha256: hashSecret(user),
        clientId: application.id,
        scopes,
        resource,
        expiresAt: after(clock, LIFETIMES.device),
        intervalSeconds: INTERVAL_SECONDS,
      })
      const page = `${issuer()}/device`
      const shown = `${user.slice(0, 4)}-${user.slice(4)}`
      return {
        device_code: device,
        user_code: shown,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${shown}`,
        expires_in: LIFETIMES.device,
        interval: INTERVAL_SECONDS,
      }
    },
    async lookup(userCode) {
      const sha256 = hashOf(userCode)
      const found = sha256 === null ? null : await records.devices.findByUserCode(sha256)
      const application = found === null ? null : await applications.get(found.clientId)
      return found === null || application === null ? null : { application, scopes: found.scopes }
    },
    async decide(userCode, user, approve, projectIds = null) {
      const sha256 = hashOf(userCode)
      return sha256 !== null && records.devices.decide(sha256, { userId: user.id, approve, projectIds })
    },
  }
}

function newUserCode(): string {
  return Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('')
}

/** Returns the hash of a user code as typed: case, spaces and hyphens don't matter. Returns null if it can't be a code. */
function hashOf(typed: string): string | null {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase()
  return CODE.test(code) ? hashSecret(code) : null
}

/** The device code grant (RFC 8628 section 3.4). The device repeats its request until the user has decided. */
export const deviceCode: Grant = async (context, application, fields) => {
  const { records, clock, issuer } = context
  const sha256 = hashSecret(required(fields, 'device_code'))
  const device = await records.devices.find(sha256)
  if (device === null || device.clientId !== application.id || device.status === 'redeemed') throw refused()
  checkExpiry(device, clock)
  if (device.status === 'denied') throw new OAuthError('access_denied', 'The user declined.')
  if (device.status === 'pending') throw await stillPending(context, sha256)
  const resource = tokenResource(fields['resource'], device.resource, issuer())
  const { tokens, answer } = newTokens(clock, stillRegistered(device.scopes, application))
  if ((await records.devices.redeem(sha256, { ...tokens, resource })) === null) throw refused()
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
