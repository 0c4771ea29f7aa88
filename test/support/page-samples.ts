import type { AuditEvent } from '../../src/contract/audit.ts'
import { renderConsent } from '../../src/pages/account/consent.tsx'
import { renderDeviceCode, renderDeviceConfirm, renderDeviceDone } from '../../src/pages/account/device.tsx'
import { renderError } from '../../src/pages/error.tsx'
import { renderLoggedOut, renderLogin } from '../../src/pages/account/login.tsx'
import { renderLinkEnded, renderSetup } from '../../src/pages/account/setup.tsx'
import type { SignedInProps } from '../../src/pages/layout.tsx'
import { renderApiKeyCreated, renderApiKeyNew, renderApiKeyRevoke, renderApiKeys } from '../../src/pages/settings/api-keys.tsx'
import {
  renderApplication,
  renderApplicationSecret,
  renderApplicationDelete,
  renderApplicationForm,
  renderApplications,
} from '../../src/pages/settings/applications.tsx'
import { renderAudit } from '../../src/pages/settings/audit.tsx'
import { renderConnectionEnd, renderConnections } from '../../src/pages/settings/connections.tsx'
import { renderInstance, type InstanceProps } from '../../src/pages/settings/instance.tsx'
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
import { uploadPageSamples } from './upload-page-samples.ts'
import { projectPageSamples } from './project-page-samples.ts'
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
  return {
    ...accountPages(names),
    ...settingsPages(names),
    ...projectPageSamples(names),
    ...searchPageSamples(names),
    ...uploadPageSamples(names),
  }
}

function accountPages({ person, email, application, redirectUri, text }: Names): Record<string, string> {
  const viewer = { name: person, email, role: 'owner' } as const
  const failure = { requestId: 'req_01JD3F9Q7Z', visitor: { viewer, csrf }, search: {} }
  const strangersFailure = { ...failure, visitor: { login: '/login?return_to=%2F' } }
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
      form: {},
      limit: { projects: [{ id: 'prj_1', name: text, owner: text }], chosen: [] },
      ...consent,
      clientType: 'confidential',
      isSelfRegistered: false,
      documentHost: null,
      redirectUri,
      scopes: ['read:documents', 'write:documents'],
    }),
    'consent for a program here': renderConsent({
      form: {},
      limit: { projects: [{ id: 'prj_1', name: text, owner: text }], chosen: [] },
      ...consent,
      clientType: 'public',
      isSelfRegistered: true,
      documentHost: null,
      redirectUri: 'http://127.0.0.1:49152/callback',
      scopes: SCOPES,
    }),
    'consent for an application with a document': renderConsent({
      form: {},
      limit: { projects: [], chosen: [] },
      ...consent,
      clientType: 'public',
      isSelfRegistered: true,
      documentHost: 'a-long-name-of-a-host.agents.example.com:8443',
      redirectUri,
      scopes: ['read:documents'],
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
      form: {},
      limit: { projects: [], chosen: [] },
      applicationName: application,
      clientType: 'public',
      isSelfRegistered: true,
      documentHost: 'a-long-name-of-a-host.agents.example.com:8443',
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
      ...strangersFailure,
    }),
    'error, redirect address': renderError({
      status: 400,
      code: errorCode('invalid_redirect_uri'),
      detail: `${redirectUri} is not registered for this application.`,
      ...failure,
    }),
    'error, unknown application': renderError({
      status: 400,
      code: errorCode('unsupported_response_type'),
      detail: 'response_type must be code.',
      ...failure,
      applicationAddress: redirectUri,
    }),
    'error, csrf': renderError({
      status: 403,
      code: errorCode('csrf_failed'),
      detail: 'The form was not sent from this page.',
      ...failure,
      formAddress: `/api/oauth/authorize?state=${encodeURIComponent(text)}`,
    }),
    'error, not found': renderError({
      status: 404,
      code: errorCode('not_found'),
      detail: `There is nothing at /${text}.`,
      ...failure,
    }),
    'error, limited': renderError({
      status: 429,
      code: errorCode('rate_limited'),
      detail: 'This browser sent more than the limit of 600 requests within a minute. Try again in 40 seconds.',
      ...failure,
      search: { q: text, project: text, tags: text },
      againAddress: `/?q=${encodeURIComponent(text)}`,
      retryAfterSeconds: 40,
    }),
    'error, limited, not logged in': renderError({
      status: 429,
      code: errorCode('rate_limited'),
      detail: 'Your address sent more than the limit of 600 requests within a minute. Try again in 40 seconds.',
      ...strangersFailure,
      search: { q: text },
      againAddress: `/?q=${encodeURIComponent(text)}`,
      retryAfterSeconds: 40,
    }),
    'error, unavailable': renderError({
      status: 503,
      code: errorCode('unavailable'),
      detail: 'The instance cannot do this right now. Try again shortly.',
      ...failure,
      againAddress: '/documents',
      retryAfterSeconds: 10,
    }),
    'error, internal': renderError({
      status: 500,
      code: errorCode('internal_error'),
      detail: 'The request could not be answered.',
      ...failure,
    }),
  }
}

function settingsPages({ person, email, application: applicationName, redirectUri, text }: Names): Record<string, string> {
  const glance = { health: 'unavailable', pending: 0 } as const
  const page: SignedInProps = { viewer: { name: person, email, role: 'owner' }, csrf, now: day(21), glance }
  const done: SignedInProps = { ...page, flash: { tone: 'success', text: `${text} was saved.` } }
  const checks = ['database', 'index', 'embedder', 'reranker', 'queue', 'disk'] as const
  const storage = {
    folder: `/var/lib/${text}`,
    indexes: 1e9,
    originals: 5e9,
    database: 3e8,
    pageImages: null,
    free: 1e10,
    total: 1e12,
  }
  const instance: InstanceProps = {
    ...page,
    glance: { health: 'ok', pending: 0 },
    version: '0.2.0',
    runtime: 'v24.15.0',
    uptimeSeconds: 500_000,
    status: 'ok',
    checks: checks.map((name) => ({ name, status: 'ok', message: text })),
    models: { embedder: text, reranker: null, ollama: text, building: null },
    queue: { queued: 12_000, processing: 2, failed: 1 },
    storage,
    memory: { resident: 4e8, heap: 1e8, forSearch: 5e8 },
    users: { all: 12, disabled: 1 },
    documents: 12_345,
  }
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
    projects: null,
    lastFour: 'k8Mn',
    createdAt: day(2),
    lastUsedAt: day(20),
    expiresAt: day(28),
  } as const
  const keys = [
    key,
    { ...key, id: 'key_2', name: 'Laptop', scopes: SCOPES, projects: [text, 'Handbook'], lastUsedAt: null, expiresAt: null },
    { ...key, id: 'key_3', name: 'Trial', scopes: ['read:documents'], expiresAt: day(9) },
  ] as const
  const connection = {
    clientId: 'app_1',
    name: applicationName,
    scopes: key.scopes,
    projects: [text],
    since: day(5),
    lastUsedAt: day(20),
  }
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
    {
      id: 'usr_1',
      name: person,
      email,
      role: 'owner',
      state: 'active',
      createdAt: day(1),
      lastLoginAt: day(21),
      projectCount: 104,
      sharedProjects: Array.from({ length: 101 }, (_, i) => ({ id: `prj_${i}`, name: text, role: 'reader' as const })),
      isThis: true,
    },
    {
      id: 'usr_2',
      name: 'Grace Hopper',
      email: 'grace@example.com',
      role: 'member',
      state: 'active',
      createdAt: day(2),
      lastLoginAt: day(20),
      projectCount: 3,
      sharedProjects: [{ id: 'prj_1', name: text, role: 'manager' as const }],
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
      projectCount: 0,
      sharedProjects: [],
      isThis: false,
    },
    {
      id: 'usr_4',
      name: text,
      email,
      role: 'member',
      state: 'disabled',
      createdAt: day(3),
      lastLoginAt: null,
      projectCount: 1,
      sharedProjects: [],
      isThis: false,
    },
  ] as const
  return {
    instance: renderInstance(instance),
    'instance, in part': renderInstance({
      ...instance,
      glance: { health: 'degraded', pending: 3 },
      status: 'degraded',
      checks: checks.map((name) => ({ name, status: name === 'database' ? 'unavailable' : 'degraded', message: text })),
      models: {
        ...instance.models,
        reranker: text,
        building: { model: text, documentsDone: 17, documentsTotal: 20_000, secondsLeft: 4000, waitingFor: text },
      },
      queue: null,
      storage: { ...storage, free: null, total: null },
    }),
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
    'api key, new': renderApiKeyNew({
      ...page,
      form: {},
      scopes: SCOPES,
      chosenScopes: key.scopes,
      limit: { projects: [], chosen: [] },
    }),
    'api key, refused': renderApiKeyNew({
      ...page,
      form: { values: { name: text, expires_in_days: '7' }, errors: { name: 'Give it a name.', scopes: 'Choose at least one.' } },
      scopes: SCOPES,
      chosenScopes: [],
      limit: { projects: [{ id: 'prj_1', name: text, owner: text }], chosen: ['prj_1'] },
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
    'audit log': renderAudit({
      ...page,
      fields: { actor: email },
      errors: {},
      projects: [{ id: 'prj_1', name: text }],
      events: auditEvents({ person, email, application: application.name, text }),
      cursor: '12',
      nextCursor: '34',
      days: 90,
    }),
    'audit log, refused': renderAudit({
      ...page,
      fields: { after: text, project: text },
      errors: { after: 'Enter a day such as 2026-03-31.', project: 'Choose a project from the list.' },
      projects: [],
      events: [],
      cursor: null,
      nextCursor: null,
      days: 0,
    }),
    'audit log, nothing yet': renderAudit({
      ...page,
      fields: {},
      errors: {},
      projects: [],
      events: [],
      cursor: null,
      nextCursor: '34',
      days: 1,
    }),
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
    'user, delete': renderUserDelete({
      ...page,
      user: { id: 'usr_2', who: email },
      projects: [{ name: 'default', documents: 12_408, trashed: 31 }],
    }),
  }
}

/** Events with every fact that an event can have, and with as few as possible. */
function auditEvents({ person, email, application, text }: Omit<Names, 'redirectUri'>): AuditEvent[] {
  const actor = { id: 'usr_1', name: person, email }
  return [
    {
      id: 'aud_1',
      time: day(12),
      action: 'document.update',
      actor,
      user: { id: 'usr_2', name: person, email: null },
      project: { id: 'prj_1', name: text },
      document: { id: 'doc_1', name: text },
      address: '2001:db8::1',
      credential: { kind: 'key', id: 'key_1', name: text, last_four: 'wxyz' },
      details: { path: text, changed: ['name', 'tags'], size_bytes: 12_408 },
    },
    {
      id: 'aud_2',
      time: day(11),
      action: 'consent.give',
      actor,
      address: '192.0.2.1',
      credential: { kind: 'session', id: 'ses_1', name: null, last_four: null },
      details: { application },
    },
    {
      id: 'aud_3',
      time: day(10),
      action: 'user.login_failed',
      actor: null,
      address: null,
      credential: null,
      details: { times: 3 },
    },
  ]
}
