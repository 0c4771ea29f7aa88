/** Where the pages live. Their forms and the router both take it from here; for a route, ask with ':id'. */
export const paths = {
  /** Search. */
  home: '/',
  document: (id: string) => `/documents/${id}`,
  original: (id: string) => `/documents/${id}/original`,
  /** In a document: the passage that was asked for. */
  passageAnchor: 'passage',
  docs: '/api/docs',
  login: '/login',
  logout: '/logout',
  loggedOut: '/logged-out',
  setup: '/setup',
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

  clients: '/settings/clients',
  clientNew: '/settings/clients/new',
  client: (id: string) => `/settings/clients/${id}`,
  clientEdit: (id: string) => `/settings/clients/${id}/edit`,
  clientRotate: (id: string) => `/settings/clients/${id}/rotate`,
  clientDelete: (id: string) => `/settings/clients/${id}/delete`,

  users: '/settings/users',
  userInvite: '/settings/users/invite',
  userReset: (id: string) => `/settings/users/${id}/reset`,
  userDisable: (id: string) => `/settings/users/${id}/disable`,
  userEnable: (id: string) => `/settings/users/${id}/enable`,
  userDelete: (id: string) => `/settings/users/${id}/delete`,
} as const
