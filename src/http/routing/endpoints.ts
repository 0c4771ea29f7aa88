/**
 * The cost class of a request:
 * - `anonymous`: needs no credential and costs less than 1 ms of processor time, so docsearch does not count it.
 * - `limited`: counts for the credential and its user. Without a credential, it counts for the address.
 * - `streaming`: like `limited`, but the request may stay open for long, such as an upload, a download or an event stream.
 */
export type CostClass = 'anonymous' | 'limited' | 'streaming'

interface Endpoint {
  cost: CostClass
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Every route and view. The routers derive their steps from this table, and the instance does not start if a row is missing. */
export const ENDPOINTS = {
  'POST /api/v1/search': { cost: 'limited' },
  'POST /api/v1/upload': { cost: 'streaming' },
  'POST /api/v1/upload/plan': { cost: 'limited' },
  'GET /api/v1/documents': { cost: 'limited' },
  'GET /api/v1/documents/{id}': { cost: 'limited' },
  'PATCH /api/v1/documents/{id}': { cost: 'limited' },
  'DELETE /api/v1/documents/{id}': { cost: 'limited' },
  'GET /api/v1/documents/{id}/content': { cost: 'streaming' },
  'GET /api/v1/documents/{id}/text': { cost: 'limited' },
  'POST /api/v1/documents/{id}/reprocess': { cost: 'limited' },
  'GET /api/v1/projects': { cost: 'limited' },
  'POST /api/v1/projects': { cost: 'limited' },
  'GET /api/v1/projects/{id}': { cost: 'limited' },
  'PATCH /api/v1/projects/{id}': { cost: 'limited' },
  'DELETE /api/v1/projects/{id}': { cost: 'limited' },
  'GET /api/v1/projects/{id}/synonyms': { cost: 'limited' },
  'POST /api/v1/projects/{id}/synonyms': { cost: 'limited' },
  'PUT /api/v1/projects/{id}/synonyms': { cost: 'limited' },
  'DELETE /api/v1/projects/{id}/synonyms/{synonym}': { cost: 'limited' },
  'GET /api/v1/projects/{id}/members': { cost: 'limited' },
  'PUT /api/v1/projects/{id}/members/{user}': { cost: 'limited' },
  'DELETE /api/v1/projects/{id}/members/{user}': { cost: 'limited' },
  'GET /api/v1/events': { cost: 'streaming' },
  'GET /api/v1/keys': { cost: 'limited' },
  'POST /api/v1/keys': { cost: 'limited' },
  'DELETE /api/v1/keys/{id}': { cost: 'limited' },
  'GET /api/v1/me': { cost: 'limited' },
  'GET /api/v1/connections': { cost: 'limited' },
  'DELETE /api/v1/connections/{id}': { cost: 'limited' },
  'GET /api/v1/clients': { cost: 'limited' },
  'POST /api/v1/clients': { cost: 'limited' },
  'GET /api/v1/clients/{id}': { cost: 'limited' },
  'PATCH /api/v1/clients/{id}': { cost: 'limited' },
  'POST /api/v1/clients/{id}/rotate': { cost: 'limited' },
  'DELETE /api/v1/clients/{id}': { cost: 'limited' },
  'GET /api/v1/users': { cost: 'limited' },
  'POST /api/v1/users': { cost: 'limited' },
  'GET /api/v1/users/{id}': { cost: 'limited' },
  'PATCH /api/v1/users/{id}': { cost: 'limited' },
  'POST /api/v1/users/{id}/reset': { cost: 'limited' },
  'DELETE /api/v1/users/{id}': { cost: 'limited' },
  'GET /api/v1/models': { cost: 'limited' },
  'POST /api/v1/models/pull': { cost: 'streaming' },
  'POST /api/v1/models/use': { cost: 'limited' },
  'DELETE /api/v1/models/{id}': { cost: 'limited' },
  'GET /api/v1/health': { cost: 'limited' },
  'POST /api/oauth/token': { cost: 'limited' },
  'POST /api/oauth/revoke': { cost: 'limited' },
  'POST /api/oauth/introspect': { cost: 'limited' },
  'POST /api/oauth/device': { cost: 'limited' },
  'GET /.well-known/oauth-authorization-server': { cost: 'anonymous' },
  'GET /.well-known/oauth-protected-resource': { cost: 'anonymous' },
  'GET /api/openapi.json': { cost: 'anonymous' },
  'GET /api/docs': { cost: 'anonymous' },
  'GET /api/docs/style.css': { cost: 'anonymous' },

  'GET /assets/{id}': { cost: 'anonymous' },
  'GET /': { cost: 'limited' },
  'GET /documents/{id}': { cost: 'limited' },
  'GET /documents/{id}/original': { cost: 'streaming' },
  'GET /login': { cost: 'limited' },
  'POST /login': { cost: 'limited' },
  'POST /logout': { cost: 'limited' },
  'GET /logged-out': { cost: 'limited' },
  'GET /setup': { cost: 'limited' },
  'POST /setup': { cost: 'limited' },
  'GET /api/oauth/authorize': { cost: 'limited' },
  'POST /api/oauth/authorize': { cost: 'limited' },
  'GET /device': { cost: 'limited' },
  'POST /device': { cost: 'limited' },
  'POST /device/decision': { cost: 'limited' },
  'GET /settings': { cost: 'limited' },
  'GET /settings/profile': { cost: 'limited' },
  'POST /settings/profile': { cost: 'limited' },
  'POST /settings/password': { cost: 'limited' },
  'POST /settings/sessions/end-others': { cost: 'limited' },
  'POST /settings/sessions/{id}/end': { cost: 'limited' },
  'GET /settings/api-keys': { cost: 'limited' },
  'GET /settings/api-keys/new': { cost: 'limited' },
  'POST /settings/api-keys': { cost: 'limited' },
  'GET /settings/api-keys/{id}/revoke': { cost: 'limited' },
  'POST /settings/api-keys/{id}/revoke': { cost: 'limited' },
  'GET /settings/connections': { cost: 'limited' },
  'GET /settings/connections/{id}/disconnect': { cost: 'limited' },
  'POST /settings/connections/{id}/disconnect': { cost: 'limited' },
  'GET /settings/clients': { cost: 'limited' },
  'GET /settings/clients/new': { cost: 'limited' },
  'GET /settings/clients/{id}': { cost: 'limited' },
  'GET /settings/clients/{id}/edit': { cost: 'limited' },
  'GET /settings/clients/{id}/delete': { cost: 'limited' },
  'POST /settings/clients': { cost: 'limited' },
  'POST /settings/clients/{id}/edit': { cost: 'limited' },
  'POST /settings/clients/{id}/rotate': { cost: 'limited' },
  'POST /settings/clients/{id}/delete': { cost: 'limited' },
  'GET /settings/users': { cost: 'limited' },
  'GET /settings/users/invite': { cost: 'limited' },
  'POST /settings/users/invite': { cost: 'limited' },
  'POST /settings/users/{id}/reset': { cost: 'limited' },
  'GET /settings/users/{id}/disable': { cost: 'limited' },
  'POST /settings/users/{id}/disable': { cost: 'limited' },
  'POST /settings/users/{id}/enable': { cost: 'limited' },
  'GET /settings/users/{id}/delete': { cost: 'limited' },
  'POST /settings/users/{id}/delete': { cost: 'limited' },
} as const satisfies Readonly<Record<`${Method} ${string}`, Endpoint>>

/** Returns the row of a route or view. Its path has parameters in braces, such as `{id}`. */
export function endpointOf({ method, path }: { method: Method; path: string }): Endpoint {
  const row = `${method} ${path}`
  if (!Object.hasOwn(ENDPOINTS, row)) throw new Error(`${row} is missing in http/routing/endpoints.ts`)
  return ENDPOINTS[row as keyof typeof ENDPOINTS]
}
