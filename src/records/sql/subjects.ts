/** The tables that remembered lookups read, by the subject of the lookups. */
export const TABLES = {
  /** Which credentials are valid, which user they belong to, and what they allow. */
  credentials: [
    'users',
    'sessions',
    'api_keys',
    'oauth_grants',
    'oauth_access_tokens',
    'oauth_clients',
    'oauth_client_secrets',
    'oauth_registrations',
  ],
  documents: ['projects', 'documents', 'document_counts'],
  synonyms: ['synonyms'],
  /** Who may see which project, and the names of projects and their owners. */
  members: ['project_members', 'projects', 'users'],
} as const
export type Subject = keyof typeof TABLES
