import { SCOPES, type OAuthClientRecord } from '../core/model.ts'

/** The command line is a client of every instance: public, so with PKCE, redirected to a port of loopback it has just opened (RFC 8252). */
export const COMMAND_LINE: OAuthClientRecord = {
  id: 'docsearch-cli',
  ownerId: null,
  name: 'docsearch command line',
  type: 'public',
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'http://localhost/callback'],
  scopes: [...SCOPES],
  createdAt: new Date(0),
  updatedAt: new Date(0),
  secrets: [],
}
