import { SCOPES, type ApplicationRecord } from '../core/model.ts'

/** The command line. It is public, so it uses PKCE, and receives the redirect on a loopback port that it has just opened (RFC 8252). */
export const COMMAND_LINE: ApplicationRecord = {
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

/** True for an application that registered itself, under a name that nobody checked. */
export function isSelfRegistered({ id, ownerId }: Pick<ApplicationRecord, 'id' | 'ownerId'>): boolean {
  return ownerId === null && id !== COMMAND_LINE.id
}
