import { randomInt } from 'node:crypto'
import { hashSecret } from '../core/secrets.ts'
import { authenticateClient } from './client-authentication.ts'
import { after, type OAuthContext } from './context.ts'
import type { Device } from './oauth.ts'
import { requestedResource } from './resource.ts'
import { requestedScopes } from './scopes.ts'
import { LIFETIMES, newSecret } from './tokens.ts'

/** RFC 8628 section 6.1: no vowels, so no words; 20 to the power of 8 codes that live 10 minutes, and few guesses at the page. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE = new RegExp(`^[${LETTERS}]{8}$`)
const INTERVAL_SECONDS = 5

/** The device grant (RFC 8628) beside its token request: how it begins, and what the page for the person needs. */
export function createDevice(context: OAuthContext): Device {
  const { records, clients, clock, issuer } = context
  return {
    async start(request) {
      const client = await authenticateClient(context, request)
      const scopes = requestedScopes(request.fields['scope'], client)
      const resource = requestedResource(request.fields['resource'], issuer())
      const [device, user] = [newSecret(), newUserCode()]
      await records.devices.create({
        deviceSha256: hashSecret(device),
        userSha256: hashSecret(user),
        clientId: client.id,
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
      const client = found === null ? null : await clients.get(found.clientId)
      return found === null || client === null ? null : { client, scopes: found.scopes }
    },
    async decide(userCode, user, approve) {
      const sha256 = hashOf(userCode)
      return sha256 !== null && records.devices.decide(sha256, { userId: user.id, approve })
    },
  }
}

function newUserCode(): string {
  return Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('')
}

/** As a person types it: case, spaces and hyphens do not matter. Null for what cannot be one. */
function hashOf(typed: string): string | null {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase()
  return CODE.test(code) ? hashSecret(code) : null
}
