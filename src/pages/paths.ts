import { documentPath, PASSAGE_ANCHOR, SETUP_PATH } from '../contract/addresses.ts'

/** The paths of all views. Forms, links and the router use them; the router passes ':id' as the ID. */
export const paths = {
  home: '/',
  document: documentPath,
  original: (id: string) => `${documentPath(id)}/original`,
  /** Anchor of the passage in a document. */
  passageAnchor: PASSAGE_ANCHOR,
  docs: '/api/docs',
  login: '/login',
  logout: '/logout',
  loggedOut: '/logged-out',
  setup: SETUP_PATH,
  authorize: '/api/oauth/authorize',
  device: '/device',
  deviceDecision: '/device/decision',

  settings: '/settings',
  profile: '/settings/profile',
  password: '/settings/password',
  otherSessionsEnd: '/settings/sessions/end-others',
  sessionEnd: (id: string) => `/settings/sessions/${id}/end`,

  apiKeys: '/settings/api-keys',
  apiKeyNew: '/settings/api-keys/new',
  apiKeyRevoke: (id: string) => `/settings/api-keys/${id}/revoke`,

  connections: '/settings/connections',
  connectionEnd: (clientId: string) => `/settings/connections/${clientId}/disconnect`,

  applications: '/settings/clients',
  applicationNew: '/settings/clients/new',
  application: (id: string) => `/settings/clients/${id}`,
  applicationEdit: (id: string) => `/settings/clients/${id}/edit`,
  applicationRotate: (id: string) => `/settings/clients/${id}/rotate`,
  applicationDelete: (id: string) => `/settings/clients/${id}/delete`,

  users: '/settings/users',
  userInvite: '/settings/users/invite',
  userReset: (id: string) => `/settings/users/${id}/reset`,
  userDisable: (id: string) => `/settings/users/${id}/disable`,
  userEnable: (id: string) => `/settings/users/${id}/enable`,
  userDelete: (id: string) => `/settings/users/${id}/delete`,
} as const
