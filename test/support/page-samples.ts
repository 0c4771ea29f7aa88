import { renderBackToApplication } from '../../src/pages/account/back.tsx'
import { renderConsent } from '../../src/pages/account/consent.tsx'
import { renderDeviceCode, renderDeviceConfirm, renderDeviceDone } from '../../src/pages/account/device.tsx'
import { renderError } from '../../src/pages/account/error.tsx'
import { renderLoggedOut, renderLogin } from '../../src/pages/account/login.tsx'
import { renderLinkEnded, renderSetup } from '../../src/pages/account/setup.tsx'
import type { SignedInProps } from '../../src/pages/layout.tsx'
import { renderApiKeyCreated, renderApiKeyNew, renderApiKeyRevoke, renderApiKeys } from '../../src/pages/settings/api-keys.tsx'
import { renderApplication, renderApplicationSecret } from '../../src/pages/settings/application.tsx'
import { renderApplicationDelete, renderApplicationForm, renderApplications } from '../../src/pages/settings/applications.tsx'
import { renderConnectionEnd, renderConnections } from '../../src/pages/settings/connections.tsx'
import { renderProfile } from '../../src/pages/settings/profile.tsx'
import {
  renderUserDelete,
  renderUserDisable,
  renderUserInvite,
  renderUserLink,
  renderUsers,
} from '../../src/pages/settings/users.tsx'
import { SCOPES } from '../../src/core/model.ts'
import { type Names, searchPageSamples } from './search-page-samples.ts'
import { errorCode } from './codes.ts'

export const USUAL: Names = {
  person: 'Ada Lovelace',
  email: 'ada@example.com',
  application: 'Contract Desk',
  redirectUri: 'https://desk.example.com/oauth/callback',
  text: 'Nightly upload from the archive',
}

/** Markup, quotes, right-to-left overrides, and very long words. */
export const HOSTILE: Names = {
  person: `"><script>alert(1)</script> ' onfocus=alert(2) \u202Egnitset ${'W'.repeat(120)}`,
  email: `a"><img src=x onerror=alert(3)>@${'long-domain'.repeat(12)}.example.com`,
  application: `</title></textarea><svg/onload=alert(4)>&lt;\u202Eevil ${'M'.repeat(150)}`,
  redirectUri: `https://${'sub-domain-of-a-host.'.repeat(7)}example.com/${'path/'.repeat(60)}?"><b>x</b>`,
  text: `<style>*{display:none}</style> {{7*7}} </option></select> ${'x'.repeat(180)}`,
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile Safari/604.1'
const csrf = 'csrf-of-the-sample'
const day = (n: number) => new Date(Date.UTC(2026, 10, n, 9, 41)).toISOString()
const baseUrl = 'https://docs.example.com'
const KEY = 'dsk_4fGh7KqLm2NpRs9TuVw3XyZa5BcDeF1h2Jk8Mn'
const SECRET = 'dss_9aB-cD3eF_gH5iJ7kL1mN0oP2qR4sT6uV8wX-yZ0aBcDeFg'

/** Every view in each of its states, by name. */
export function pageSamples(names: Names): Record<string, string> {
  return { ...accountPages(names), ...settingsPages(names), ...searchPageSamples(names) }
}

function accountPages({ person, email, application, redirectUri, text }: Names): Record<string, string> {
  const viewer = { name: person, email, role: 'owner' } as const
  const consent = { applicationName: application, viewer, csrf, query: `client_id=app_1&state=${encodeURIComponent(text)}` }
  return {
    'setup of the owner': renderSetup({ purpose: 'setup', token: text, csrf, name: '', email: null, form: {} }),
    'setup, refused': renderSetup({
      purpose: 'setup',
      token: text,
      csrf,
      name: '',
      email: null,
      form: {
        values: { name: person, email: text },
        errors: { email: 'This is not an email address.', password: 'Use at least 10 characters.' },
      },
    }),
    invitation: renderSetup({ purpose: 'invitation', token: text, csrf, name: person, email, form: {} }),
    'password reset': renderSetup({ purpose: 'reset', token: text, csrf, name: person, email, form: {} }),
    'link that ended': renderLinkEnded({ purpose: null }),
    login: renderLogin({ csrf, returnTo: null, email: '', failure: null, notice: null }),
    'login for an application': renderLogin({
      csrf,
      returnTo: `/api/oauth/authorize?state=${text}`,
      email: '',
      failure: null,
      notice: `Log in to connect ${application}.`,
    }),
    'login, wrong': renderLogin({ csrf, returnTo: text, email, failure: 'wrong', notice: null }),
    'login, limited': renderLogin({ csrf, returnTo: null, email, failure: { waitMinutes: 12 }, notice: null }),
    'logged out': renderLoggedOut(),
    consent: renderConsent({
      ...consent,
      clientType: 'confidential',
      redirectUri,
      scopes: ['read:documents', 'write:documents'],
    }),
    'consent for a program here': renderConsent({
      ...consent,
      clientType: 'public',
      redirectUri: 'http://127.0.0.1:49152/callback',
      scopes: SCOPES,
    }),
    // The test's server answers this address so that the browser stays on the view.
    'back to the application': renderBackToApplication({
      location: `/callback?from=${encodeURIComponent(redirectUri)}&code=4fGh7KqLm2`,
    }),
    'device code': renderDeviceCode({ csrf, form: {} }),
    'device code, unknown': renderDeviceCode({
      csrf,
      form: {
        values: { user_code: text },
        errors: { user_code: 'No device is waiting with this code. Check the code, or start again on the device.' },
      },
    }),
    'device, confirm': renderDeviceConfirm({
      applicationName: application,
      scopes: ['read:documents'],
      userCode: 'BCDF-GHJK',
      viewer,
      csrf,
    }),
    'device, allowed': renderDeviceDone({ outcome: 'allowed', applicationName: application }),
    'device, denied': renderDeviceDone({ outcome: 'denied', applicationName: application }),
    'device, ended': renderDeviceDone({ outcome: 'ended', applicationName: null }),
    'error, unknown client': renderError({
      status: 400,
      code: errorCode('invalid_client'),
      detail: `There is no application with the id ${text}.`,
      requestId: 'req_01JD3F9Q7Z',
    }),
    'error, redirect address': renderError({
      status: 400,
      code: errorCode('invalid_redirect_uri'),
      detail: `${redirectUri} is not registered for this application.`,
      requestId: 'req_01JD3F9Q7Z',
    }),
    'error, csrf': renderError({
      status: 403,
      code: errorCode('csrf_failed'),
      detail: 'The form was not sent from this page.',
      requestId: 'req_01J',
      formAddress: `/api/oauth/authorize?state=${encodeURIComponent(text)}`,
    }),
    'error, not found': renderError({
      status: 404,
      code: errorCode('not_found'),
      detail: 'There is no page at this address.',
      requestId: 'req_01J',
    }),
    'error, limited': renderError({
      status: 429,
      code: errorCode('rate_limited'),
      detail: 'Too many requests from this address.',
      requestId: 'req_01J',
      retryAfterSeconds: 200,
    }),
    'error, internal': renderError({
      status: 500,
      code: errorCode('internal_error'),
      detail: 'The request could not be answered.',
      requestId: 'req_01J',
    }),
  }
}

function settingsPages({ person, email, application: applicationName, redirectUri, text }: Names): Record<string, string> {
  const page: SignedInProps = { viewer: { name: person, email, role: 'owner' }, csrf, now: day(21) }
  const done: SignedInProps = { ...page, flash: { tone: 'success', text: `${text} was saved.` } }
  const sessions = [
    { id: 'ses_1', userAgent: BROWSER, address: '127.0.0.1', createdAt: day(1), lastSeenAt: day(21), isThis: true },
    {
      id: 'ses_2',
      userAgent: PHONE,
      address: '2001:db8:85a3::8a2e:370:7334',
      createdAt: day(3),
      lastSeenAt: day(19),
      isThis: false,
    },
    { id: 'ses_3', userAgent: text, address: '192.0.2.14', createdAt: day(4), lastSeenAt: day(6), isThis: false },
  ]
  const key = {
    id: 'key_1',
    name: text,
    scopes: ['read:documents', 'write:documents'],
    lastFour: 'k8Mn',
    createdAt: day(2),
    lastUsedAt: day(20),
    expiresAt: day(28),
  } as const
  const keys = [
    key,
    { ...key, id: 'key_2', name: 'Laptop', scopes: SCOPES, lastUsedAt: null, expiresAt: null },
    { ...key, id: 'key_3', name: 'Trial', scopes: ['read:documents'], expiresAt: day(9) },
  ] as const
  const connection = { clientId: 'app_1', name: applicationName, scopes: key.scopes, since: day(5), lastUsedAt: day(20) }
  const application = {
    id: 'app_7Hq2mZx9Lr4TvB8n',
    name: applicationName,
    type: 'confidential',
    scopes: key.scopes,
    createdAt: day(5),
    redirectUris: [redirectUri, 'http://127.0.0.1/callback'],
    secrets: [
      { lastFour: 'DeFg', createdAt: day(20), expiresAt: null },
      { lastFour: 'x_9Q', createdAt: day(5), expiresAt: day(22) },
    ],
  } as const
  const users = [
    { id: 'usr_1', name: person, email, role: 'owner', state: 'active', createdAt: day(1), lastLoginAt: day(21), isThis: true },
    {
      id: 'usr_2',
      name: 'Grace Hopper',
      email: 'grace@example.com',
      role: 'member',
      state: 'active',
      createdAt: day(2),
      lastLoginAt: day(20),
      isThis: false,
    },
    {
      id: 'usr_3',
      name: '',
      email: 'new@example.com',
      role: 'member',
      state: 'invited',
      createdAt: day(20),
      lastLoginAt: null,
      isThis: false,
    },
    { id: 'usr_4', name: text, email, role: 'member', state: 'disabled', createdAt: day(3), lastLoginAt: null, isThis: false },
  ] as const
  return {
    profile: renderProfile({ ...done, account: {}, password: {}, sessions }),
    'profile, refused': renderProfile({
      ...page,
      account: { values: { name: text, email: text }, errors: { email: 'Another user has this address.' } },
      password: {},
      sessions: sessions.slice(0, 1),
    }),
    'password, refused': renderProfile({
      ...page,
      account: {},
      password: {
        errors: { current_password: 'This is not your current password.', password_again: 'The two passwords differ.' },
      },
      sessions,
    }),
    'api keys': renderApiKeys({ ...done, keys }),
    'api keys, none': renderApiKeys({ ...page, viewer: { ...page.viewer, role: 'member' }, keys: [] }),
    'api key, new': renderApiKeyNew({ ...page, form: {}, scopes: SCOPES, chosenScopes: key.scopes }),
    'api key, refused': renderApiKeyNew({
      ...page,
      form: { values: { name: text, expires_in_days: '7' }, errors: { name: 'Give it a name.', scopes: 'Choose at least one.' } },
      scopes: SCOPES,
      chosenScopes: [],
    }),
    'api key, created': renderApiKeyCreated({ ...page, key: KEY, name: text, baseUrl }),
    'api key, revoke': renderApiKeyRevoke({ ...page, key }),
    connections: renderConnections({
      ...page,
      flash: { tone: 'error', text: 'This application was disconnected already.' },
      connections: [connection, { ...connection, clientId: 'docsearch-cli', name: 'docsearch command line', lastUsedAt: null }],
    }),
    'connections, none': renderConnections({ ...page, connections: [] }),
    'connection, end': renderConnectionEnd({ ...page, connection }),
    applications: renderApplications({
      ...page,
      applications: [application, { ...application, id: 'app_2', name: 'Pocket Reader', type: 'public' }],
    }),
    'applications, none': renderApplications({ ...page, applications: [] }),
    'application, new': renderApplicationForm({ ...page, application: null, form: {}, scopes: SCOPES, chosenScopes: key.scopes }),
    'application, refused': renderApplicationForm({
      ...page,
      application: null,
      form: {
        values: { name: text, type: 'public', redirect_uris: redirectUri },
        errors: { redirect_uris: 'Line 1 has a fragment.' },
      },
      scopes: SCOPES,
      chosenScopes: [],
    }),
    'application, edit': renderApplicationForm({
      ...page,
      application,
      form: {},
      scopes: SCOPES,
      chosenScopes: application.scopes,
    }),
    application: renderApplication({ ...done, application, baseUrl }),
    'application, public': renderApplication({ ...page, application: { ...application, type: 'public', secrets: [] }, baseUrl }),
    'application, registered': renderApplicationSecret({ ...page, application, secret: SECRET, oldUntil: null, baseUrl }),
    'application, rotated': renderApplicationSecret({ ...page, application, secret: SECRET, oldUntil: day(22), baseUrl }),
    'application, registered public': renderApplicationSecret({ ...page, application, secret: null, oldUntil: null, baseUrl }),
    'application, delete': renderApplicationDelete({ ...page, application }),
    users: renderUsers({ ...page, users }),
    'user, invite': renderUserInvite({ ...page, form: {} }),
    'user, refused': renderUserInvite({
      ...page,
      form: { values: { email, name: text }, errors: { email: 'A user has this address already.' } },
    }),
    'user, link': renderUserLink({
      ...page,
      who: email,
      purpose: 'invitation',
      link: `${baseUrl}/setup?token=${'4fGh7KqLm2'.repeat(6)}`,
      expiresAt: day(28),
    }),
    'user, disable': renderUserDisable({ ...page, user: { id: 'usr_2', who: email } }),
    'user, delete': renderUserDelete({ ...page, user: { id: 'usr_2', who: email }, documents: 12_408 }),
  }
}
