import type { ServerResponse } from 'node:http'
import { json, scriptedInstance } from './scripted-instance.ts'
import type { Received, Script, ScriptedInstance } from './scripted-instance.ts'
import type { OAuthErrorCode } from '../../src/core/errors.ts'

export interface ScriptedOAuth extends ScriptedInstance {
  /** Returns the form bodies that this path received, oldest first. */
  forms(path: string): Record<string, string>[]
}

export const TOKENS = {
  access_token: 'a'.repeat(64),
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'b'.repeat(64),
  scope: 'read:documents',
}

const ME = {
  user: { id: 'usr_1', name: 'Alice', email: null, role: 'owner' },
  scopes: ['read:documents'],
  authentication: { method: 'access_token', id: 'gnt_1', name: 'docsearch-cli' },
  expires_at: null,
}

/** Starts a fake instance with a login, for answers that a real instance never gives. `metadata` is added to its OAuth metadata. */
export async function scriptedOAuth(script: Script = {}, metadata: (url: string) => object = () => ({})): Promise<ScriptedOAuth> {
  const instance: ScriptedInstance = await scriptedInstance({
    'GET /.well-known/oauth-authorization-server': (_: Received, response: ServerResponse) =>
      json(response, 200, {
        issuer: instance.url,
        authorization_endpoint: `${instance.url}/api/oauth/authorize`,
        token_endpoint: `${instance.url}/api/oauth/token`,
        revocation_endpoint: `${instance.url}/api/oauth/revoke`,
        device_authorization_endpoint: `${instance.url}/api/oauth/device`,
        authorization_response_iss_parameter_supported: true,
        ...metadata(instance.url),
      }),
    'GET /api/v1/me': ME,
    'GET /api/v1/health': { status: 'ok', version: '1' },
    'POST /api/oauth/token': TOKENS,
    'POST /api/oauth/revoke': {},
    'POST /api/oauth/device': (_: Received, response: ServerResponse) =>
      json(response, 200, {
        device_code: 'd'.repeat(64),
        user_code: 'BCDF-GHJK',
        verification_uri: `${instance.url}/device`,
        verification_uri_complete: `${instance.url}/device?code=BCDF-GHJK`,
        expires_in: 900,
        interval: 5,
      }),
    ...script,
  })
  return {
    ...instance,
    forms: (path) =>
      instance.requests
        .filter((request) => request.path === path)
        .map((request) => Object.fromEntries(new URLSearchParams(request.body.toString()))),
  }
}

/** Answers with an error of RFC 6749 section 5.2. */
export function oauthError(
  response: ServerResponse,
  status: number,
  error: OAuthErrorCode,
  description = 'A sentence that helps.',
): void {
  json(response, status, { error, error_description: description })
}

/** Returns to the loopback address at once, like a browser after the consent. `change` edits the right answer. */
export function comeBack(issuer: string, change: (answer: URLSearchParams) => void = () => {}) {
  return async (address: string): Promise<{ status: number; page: string; headers: Headers }> => {
    const asked = new URL(address).searchParams
    const back = new URL(asked.get('redirect_uri')!)
    back.search = new URLSearchParams({ code: 'c'.repeat(64), state: asked.get('state')!, iss: issuer }).toString()
    change(back.searchParams)
    const answer = await fetch(back)
    return { status: answer.status, page: await answer.text(), headers: answer.headers }
  }
}
