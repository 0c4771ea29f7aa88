import { documentPath, PASSAGE_ANCHOR, SETUP_PATH } from '../contract/addresses.ts'

/** The paths of all views. Forms, links and the router use them; the router passes ':id' as the ID. */
export const paths = {
  home: '/',
  savedSearches: '/saved-searches',
  savedSearch: (id: string) => `/saved-searches/${id}`,
  savedSearchDelete: (id: string) => `/saved-searches/${id}/delete`,
  documents: '/documents',
  documentsBatch: '/documents/batch',
  document: documentPath,
  documentDelete: (id: string) => `${documentPath(id)}/delete`,
  documentRestore: (id: string) => `${documentPath(id)}/restore`,
  upload: '/upload',
  uploadTo: (project: string) => `/upload?${new URLSearchParams({ project })}`,
  uploadProgress: '/upload/progress',
  uploadProgressOf: (ids: readonly string[]) => `/upload/progress?ids=${ids.join(',')}`,
  events: '/events',
  original: (id: string) => `${documentPath(id)}/original`,
  pageImage: (id: string, page: string) => `${documentPath(id)}/pages/${page}.png`,
  /** Anchor of the passage in a document. */
  passageAnchor: PASSAGE_ANCHOR,
  docs: '/api/docs',
  openSearch: '/opensearch.xml',
  favicon: '/favicon.ico',
  login: '/login',
  logout: '/logout',
  loggedOut: '/logged-out',
  setup: SETUP_PATH,
  authorize: '/api/oauth/authorize',
  device: '/device',
  deviceDecision: '/device/decision',

  projects: '/projects',
  projectNew: '/projects/new',
  project: (id: string) => `/projects/${id}`,
  projectSettings: (id: string) => `/projects/${id}/settings`,
  projectDelete: (id: string) => `/projects/${id}/delete`,
  projectTakeOver: (id: string) => `/projects/${id}/take-over`,
  projectMembers: (id: string) => `/projects/${id}/members`,
  /** The router passes no `user`, which is in the query. */
  projectMemberRemove: (id: string, user?: string) =>
    `/projects/${id}/members/remove${user === undefined ? '' : `?${new URLSearchParams({ user })}`}`,

  settings: '/settings',
  shownOnce: (id: string) => `/settings/once/${id}`,
  profile: '/settings/profile',
  password: '/settings/password',
  otherSessionsEnd: '/settings/sessions/end-others',
  sessionEnd: (id: string) => `/settings/sessions/${id}/end`,

  apiKeys: '/settings/api-keys',
  apiKeyNew: '/settings/api-keys/new',
  apiKeyRevoke: (id: string) => `/settings/api-keys/${id}/revoke`,

  connections: '/settings/connections',
  /** The ID of an application may be an address, so links encode it. */
  connectionEnd: (clientId: string) => `/settings/connections/${clientId}/disconnect`,

  applications: '/settings/clients',
  applicationNew: '/settings/clients/new',
  application: (id: string) => `/settings/clients/${id}`,
  applicationEdit: (id: string) => `/settings/clients/${id}/edit`,
  applicationRotate: (id: string) => `/settings/clients/${id}/rotate`,
  applicationDelete: (id: string) => `/settings/clients/${id}/delete`,

  audit: '/settings/audit',

  instance: '/settings/instance',

  users: '/settings/users',
  userInvite: '/settings/users/invite',
  userReset: (id: string) => `/settings/users/${id}/reset`,
  userDisable: (id: string) => `/settings/users/${id}/disable`,
  userEnable: (id: string) => `/settings/users/${id}/enable`,
  userDelete: (id: string) => `/settings/users/${id}/delete`,
} as const
