import { describe, expect, test } from 'vitest'
import { SCOPES } from '../../../src/core/model.ts'
import type { NewApplication } from '../../../src/oauth/oauth.ts'
import { ISSUER, openOAuth } from '../../support/open-oauth.ts'
import { errorCode } from '../../support/codes.ts'

const REDIRECT_URI = 'https://app.example.com/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const STATE = `a b&é"<>%00#+${'x'.repeat(2000)}`

type Query = Record<string, string | string[] | undefined>

/** Begins a valid request, changed by `query`. */
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
  const outcome = await oauth.authorize.begin(all, { userId: null })
  return { ...opened, application: made.application, outcome }
}

/** Returns the error that the application gets in its redirect. */
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

test('approval redirects with a code of 64 characters, the unchanged state and the issuer', async () => {
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

test('a refusal redirects with access_denied and the state', async () => {
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

test('sends no state back if none was sent', async () => {
  const { oauth, user, outcome } = await begin({})
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  expect((await oauth.authorize.approve(outcome.request, user)).location).not.toContain('state')
  expect(oauth.authorize.deny(outcome.request).location).not.toContain('state')
})

test('keeps the query of a redirect address', async () => {
  const redirectUri = 'https://app.example.com/callback?tenant=a%20b&x'
  const { oauth, user, outcome } = await begin({}, { redirectUris: [redirectUri] })
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  expect((await oauth.authorize.approve(outcome.request, user)).location).toMatch(
    /^https:\/\/app\.example\.com\/callback\?tenant=a%20b&x&code=[0-9a-f]{64}&iss=/,
  )
})

test('redirects with server_error if the code cannot be stored', async () => {
  const { oauth, user, outcome, records } = await begin({ state: STATE })
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  records.oauth.codes.create = async () => {
    throw new Error('SQLITE_FULL at /var/lib/secret')
  }
  const { searchParams } = new URL((await oauth.authorize.approve(outcome.request, user)).location)
  expect(['error', 'state', 'iss'].map((name) => searchParams.get(name))).toEqual([errorCode('server_error'), STATE, ISSUER])
  expect(searchParams.get('error_description')).not.toContain('secret')
})

describe('does not redirect', () => {
  test.each([
    ['to an unknown application', { client_id: 'app_unknown' }, errorCode('invalid_client')],
    ['without a client_id', { client_id: undefined }, errorCode('invalid_request')],
    ['without a redirect_uri', { redirect_uri: undefined }, errorCode('invalid_request')],
    ['to another address', { redirect_uri: 'https://evil.example.com/callback' }, errorCode('invalid_redirect_uri')],
    ['to an address with an extra slash', { redirect_uri: `${REDIRECT_URI}/` }, errorCode('invalid_redirect_uri')],
    [
      'to an address in other letter case',
      { redirect_uri: 'https://app.example.com/CALLBACK' },
      errorCode('invalid_redirect_uri'),
    ],
    ['with an extra query', { redirect_uri: `${REDIRECT_URI}?next=evil` }, errorCode('invalid_redirect_uri')],
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

describe('redirects with an error', () => {
  test.each<[string, Query, string]>([
    ['for response_type=token', { response_type: 'token' }, errorCode('unsupported_response_type')],
    ['for several response types', { response_type: 'code token' }, errorCode('unsupported_response_type')],
    ['for a missing response type', { response_type: undefined }, errorCode('invalid_request')],
    ['for another response mode', { response_mode: 'fragment' }, errorCode('invalid_request')],
    ['for a scope that does not exist', { scope: 'read:documents admin' }, errorCode('invalid_scope')],
    ['for nothing but a scope that the application may not have', { scope: 'manage:keys' }, errorCode('invalid_scope')],
    ['for PKCE with plain', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }, errorCode('invalid_request')],
    ['for PKCE without a method', { code_challenge: CHALLENGE }, errorCode('invalid_request')],
    ['for a method without PKCE', { code_challenge_method: 'S256' }, errorCode('invalid_request')],
    ['for a malformed challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, errorCode('invalid_request')],
    ['for a resource of another instance', { resource: 'https://evil.example.com' }, errorCode('invalid_target')],
    ['for a resource that only starts like the issuer', { resource: `${ISSUER}.evil.com` }, errorCode('invalid_target')],
    ['for a resource with a fragment', { resource: `${ISSUER}/mcp#x` }, errorCode('invalid_target')],
  ])('%s', async (_case, query, error) => {
    expect(await refusal(query)).toBe(error)
  })

  test('for a public application without PKCE', async () => {
    expect(await refusal({}, { type: 'public' })).toBe(errorCode('invalid_request'))
  })

  test('for no scope, if the application may have none of the default scopes', async () => {
    expect(await refusal({}, { scopes: ['manage:keys'] })).toBe(errorCode('invalid_scope'))
  })
})

test.each<[string, Query, Partial<NewApplication>, string[]]>([
  ['the requested scope', { scope: 'read:documents' }, {}, ['read:documents']],
  [
    'the requested scopes in a fixed order, each once',
    { scope: 'write:documents  read:documents write:documents' },
    {},
    ['read:documents', 'write:documents'],
  ],
  ['the default', {}, {}, ['read:documents', 'write:documents']],
  ['the default, as far as the application may have it', {}, { scopes: ['read:documents', 'manage:keys'] }, ['read:documents']],
  ['the default for an empty scope', { scope: '' }, {}, ['read:documents', 'write:documents']],
  ['the requested scopes that the application may have', { scope: SCOPES.join(' ') }, {}, ['read:documents', 'write:documents']],
  [
    'the only requested scope that the application may have',
    { scope: 'read:documents write:documents' },
    { scopes: ['read:documents'] },
    ['read:documents'],
  ],
  ['manage:keys only on request', { scope: 'manage:keys' }, { scopes: ['manage:keys'] }, ['manage:keys']],
])('asks for consent to %s', async (_case, query, application, scopes) => {
  expect((await begin(query, application)).outcome).toMatchObject({ kind: 'ask', request: { scopes } })
})

test.each([ISSUER, `${ISSUER}/`, `${ISSUER}/mcp`])('binds the resource %s', async (resource) => {
  expect((await begin({ resource })).outcome).toMatchObject({ kind: 'ask', request: { resource } })
})

test('accepts the command line on any loopback port', async () => {
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
