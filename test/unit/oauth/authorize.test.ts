import { describe, expect, test } from 'vitest'
import type { NewApplication } from '../../../src/oauth/oauth.ts'
import { ISSUER, openOAuth } from '../../support/open-oauth.ts'
import { errorCode } from '../../support/codes.ts'

const REDIRECT_URI = 'https://app.example.com/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const STATE = `a b&é"<>%00#+${'x'.repeat(2000)}`

type Query = Record<string, string | string[] | undefined>

/** A request that is right but for `query`, and its outcome. */
async function begin(query: Query, application: Partial<NewApplication> = {}) {
  const opened = await openOAuth()
  const { oauth, user } = opened
  const made = await oauth.applications.create({
    ownerId: user.id,
    name: 'Notes',
    type: 'confidential',
    redirectUris: [REDIRECT_URI],
    ...application,
  })
  const redirectUri = application.redirectUris?.[0] ?? REDIRECT_URI
  const all: Query = { response_type: 'code', client_id: made.application.id, redirect_uri: redirectUri, ...query }
  const outcome = await oauth.authorize.begin(all)
  return { ...opened, application: made.application, outcome }
}

/** The answer that an application gets in its redirect. */
async function refusal(query: Query, application: Partial<NewApplication> = {}) {
  const { outcome } = await begin({ state: STATE, ...query }, application)
  if (outcome.kind !== 'redirect') throw new Error(`not refused by redirect: ${outcome.kind}`)
  const { searchParams, origin, pathname } = new URL(outcome.location)
  expect(`${origin}${pathname}`).toBe(REDIRECT_URI)
  expect([searchParams.get('state'), searchParams.get('iss'), searchParams.get('code')]).toEqual([STATE, ISSUER, null])
  // RFC 6749 section 4.1.2.1: only these characters.
  expect(searchParams.get('error_description')).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  return searchParams.get('error')
}

test('who agrees is sent back with a code of 64 characters, the state byte for byte and the issuer', async () => {
  const { oauth, user, application, outcome } = await begin({
    state: STATE,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  expect(outcome.request).toMatchObject({
    application: { id: application.id, name: 'Notes' },
    redirectUri: REDIRECT_URI,
    scopes: ['read:documents', 'write:documents'],
    codeChallenge: CHALLENGE,
  })
  const { searchParams } = new URL((await oauth.authorize.approve(outcome.request, user)).location)
  expect(searchParams.get('code')).toMatch(/^[0-9a-f]{64}$/)
  expect([searchParams.get('state'), searchParams.get('iss')]).toEqual([STATE, ISSUER])
  expect(oauth.serverMetadata()['issuer']).toBe(ISSUER)
})

test('who declines is sent back with access_denied and the state', async () => {
  const { oauth, outcome } = await begin({ state: STATE })
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  const { searchParams } = new URL(oauth.authorize.deny(outcome.request).location)
  expect(['error', 'state', 'iss', 'code'].map((name) => searchParams.get(name))).toEqual([
    errorCode('access_denied'),
    STATE,
    ISSUER,
    null,
  ])
})

test('no state comes back where none was sent', async () => {
  const { oauth, user, outcome } = await begin({})
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  expect((await oauth.authorize.approve(outcome.request, user)).location).not.toContain('state')
  expect(oauth.authorize.deny(outcome.request).location).not.toContain('state')
})

test('a redirect address with a query keeps it as it is', async () => {
  const redirectUri = 'https://app.example.com/callback?tenant=a%20b&x'
  const { oauth, user, outcome } = await begin({}, { redirectUris: [redirectUri] })
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  expect((await oauth.authorize.approve(outcome.request, user)).location).toMatch(
    /^https:\/\/app\.example\.com\/callback\?tenant=a%20b&x&code=[0-9a-f]{64}&iss=/,
  )
})

test('a code that cannot be stored is told to the application as server_error', async () => {
  const { oauth, user, outcome, records } = await begin({ state: STATE })
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  records.oauth.codes.create = async () => {
    throw new Error('SQLITE_FULL at /var/lib/secret')
  }
  const { searchParams } = new URL((await oauth.authorize.approve(outcome.request, user)).location)
  expect(['error', 'state', 'iss'].map((name) => searchParams.get(name))).toEqual([errorCode('server_error'), STATE, ISSUER])
  expect(searchParams.get('error_description')).not.toContain('secret')
})

describe('nobody is redirected', () => {
  test.each([
    ['to an application nobody knows', { client_id: 'app_unknown' }, errorCode('invalid_client')],
    ['without a client_id', { client_id: undefined }, errorCode('invalid_request')],
    ['without a redirect_uri', { redirect_uri: undefined }, errorCode('invalid_request')],
    ['to another address', { redirect_uri: 'https://evil.example.com/callback' }, errorCode('invalid_redirect_uri')],
    ['to a slash more', { redirect_uri: `${REDIRECT_URI}/` }, errorCode('invalid_redirect_uri')],
    ['to other letters', { redirect_uri: 'https://app.example.com/CALLBACK' }, errorCode('invalid_redirect_uri')],
    ['with a query more', { redirect_uri: `${REDIRECT_URI}?next=evil` }, errorCode('invalid_redirect_uri')],
    ['with encoded dots', { redirect_uri: 'https://app.example.com/a/%2e%2e/callback' }, errorCode('invalid_redirect_uri')],
    ['with a user name', { redirect_uri: 'https://app.example.com@evil.com/callback' }, errorCode('invalid_redirect_uri')],
    ['with a fragment', { redirect_uri: `${REDIRECT_URI}#x` }, errorCode('invalid_redirect_uri')],
    ['to two addresses', { redirect_uri: [REDIRECT_URI, 'https://evil.com'] }, errorCode('invalid_request')],
    ['with the state twice', { state: ['a', 'b'] }, errorCode('invalid_request')],
    ['with the application twice', { client_id: ['app_a', 'app_b'] }, errorCode('invalid_request')],
  ])('%s', async (_case, query, error) => {
    expect((await begin(query)).outcome).toMatchObject({ kind: 'page', error })
  })
})

describe('the application is told', () => {
  test.each<[string, Query, string]>([
    ['of response_type=token', { response_type: 'token' }, errorCode('unsupported_response_type')],
    ['of several response types', { response_type: 'code token' }, errorCode('unsupported_response_type')],
    ['of a missing response type', { response_type: undefined }, errorCode('invalid_request')],
    ['of another response mode', { response_mode: 'fragment' }, errorCode('invalid_request')],
    ['of a scope that does not exist', { scope: 'read:documents admin' }, errorCode('invalid_scope')],
    ['of a scope it may not have', { scope: 'manage:keys' }, errorCode('invalid_scope')],
    ['of PKCE with plain', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }, errorCode('invalid_request')],
    ['of PKCE without a method', { code_challenge: CHALLENGE }, errorCode('invalid_request')],
    ['of a method without PKCE', { code_challenge_method: 'S256' }, errorCode('invalid_request')],
    ['of a challenge that is none', { code_challenge: 'short', code_challenge_method: 'S256' }, errorCode('invalid_request')],
    ['of a resource elsewhere', { resource: 'https://evil.example.com' }, errorCode('invalid_target')],
    ['of a resource that only begins alike', { resource: `${ISSUER}.evil.com` }, errorCode('invalid_target')],
    ['of a resource with a fragment', { resource: `${ISSUER}/mcp#x` }, errorCode('invalid_target')],
  ])('%s', async (_case, query, error) => {
    expect(await refusal(query)).toBe(error)
  })

  test('that a public application has to use PKCE', async () => {
    expect(await refusal({}, { type: 'public' })).toBe(errorCode('invalid_request'))
  })

  test('that its own scopes leave no default', async () => {
    expect(await refusal({}, { scopes: ['manage:keys'] })).toBe(errorCode('invalid_scope'))
  })
})

test.each<[string, Query, Partial<NewApplication>, string[]]>([
  ['what is asked for', { scope: 'read:documents' }, {}, ['read:documents']],
  [
    'in our order, each once',
    { scope: 'write:documents  read:documents write:documents' },
    {},
    ['read:documents', 'write:documents'],
  ],
  ['the default', {}, {}, ['read:documents', 'write:documents']],
  ['the default, as far as the application may', {}, { scopes: ['read:documents', 'manage:keys'] }, ['read:documents']],
  ['the default where the scope is empty', { scope: '' }, {}, ['read:documents', 'write:documents']],
  ['manage:keys only when it is asked for', { scope: 'manage:keys' }, { scopes: ['manage:keys'] }, ['manage:keys']],
])('consent is asked for: %s', async (_case, query, application, scopes) => {
  expect((await begin(query, application)).outcome).toMatchObject({ kind: 'ask', request: { scopes } })
})

test.each([ISSUER, `${ISSUER}/`, `${ISSUER}/mcp`])('the resource %s is bound', async (resource) => {
  expect((await begin({ resource })).outcome).toMatchObject({ kind: 'ask', request: { resource } })
})

test('the command line is known everywhere, on any port of loopback', async () => {
  const query = { client_id: 'docsearch-cli', code_challenge: CHALLENGE, code_challenge_method: 'S256', scope: 'manage:keys' }
  for (const redirect_uri of ['http://127.0.0.1:49152/callback', 'http://[::1]:1024/callback', 'http://localhost:8000/callback'])
    expect((await begin({ ...query, redirect_uri })).outcome).toMatchObject({
      kind: 'ask',
      request: { redirectUri: redirect_uri },
    })
  for (const redirect_uri of ['http://127.0.0.1:49152/', 'http://127.0.0.1.evil.com/callback', 'http://2130706433/callback'])
    expect((await begin({ ...query, redirect_uri })).outcome).toMatchObject({
      kind: 'page',
      error: errorCode('invalid_redirect_uri'),
    })
})
