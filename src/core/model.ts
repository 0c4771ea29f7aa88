import type { ErrorCode, WarningCode } from './errors.ts'

/** What a credential may do. Every other list of scopes derives from this one. */
export const SCOPES = ['read:documents', 'write:documents', 'manage:keys'] as const
export type Scope = (typeof SCOPES)[number]

/** What a key or an application gets when nobody chooses: enough to search and to upload. */
export const DEFAULT_SCOPES: readonly Scope[] = ['read:documents', 'write:documents']

export interface User {
  id: string
  email: string | null
  name: string
  role: 'owner' | 'member'
  createdAt: Date
  /** Set: nothing of this user's is accepted any more, neither password nor session, key nor token. */
  disabledAt: Date | null
  /** False until the link of the setup or the invitation was used. */
  hasPassword: boolean
  /** When a browser was last logged in; null when never. */
  lastLoginAt: Date | null
}

/** Of a password, in characters as a person counts them: what is asked for, checked and said beforehand. */
export const PASSWORD_LENGTH = { least: 10, most: 1000 } as const

/** Who is calling, whatever the credential was; no route looks further. */
export interface Principal {
  userId: string
  scopes: ReadonlySet<Scope>
  via: 'api_key' | 'access_token'
  /** Id of the key or of the grant a token belongs to, for `me`, rate limits and logs. */
  credentialId: string
  credentialName: string | null
  expiresAt: Date | null
}

/** A browser's login. The cookie's token is stored as a hash only. */
export interface SessionRecord {
  id: string
  userId: string
  /** What the browser said of itself, cut to 300 characters. */
  userAgent: string
  address: string
  createdAt: Date
  /** Written at most once a minute. */
  lastSeenAt: Date
  expiresAt: Date
}

/** Why a one-time link was made: the first owner's, a new user's, or one who forgot. */
export type LinkPurpose = 'setup' | 'invitation' | 'reset'

/** An application that may ask for access (RFC 6749 section 2). */
export interface OAuthClientRecord {
  /** The `client_id`: `[A-Za-z0-9_-]` only, because some libraries percent-encode Basic credentials and some do not. */
  id: string
  /** Who registered it; null for those built in. */
  ownerId: string | null
  name: string
  type: 'confidential' | 'public'
  redirectUris: string[]
  /** What it may ask for at most. */
  scopes: Scope[]
  createdAt: Date
  updatedAt: Date
  /** Its secrets, newest first; an older one is good until its grace ends. Empty for a public client. */
  secrets: { lastFour: string; createdAt: Date; expiresAt: Date | null }[]
}

/** What a user allowed an application: the family of all tokens that come from one consent. */
export interface GrantRecord {
  id: string
  userId: string
  clientId: string
  scopes: Scope[]
  /** Resource indicator the tokens are bound to (RFC 8707), or null. */
  resource: string | null
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

export interface Project {
  id: string
  ownerId: string
  name: string
  description: string
  createdAt: Date
  updatedAt: Date
}

export interface ProjectCounts {
  documents: number
  chunks: number
  bytes: number
  statuses: Record<DocumentStatus, number>
}

export const DOCUMENT_STATUSES = ['queued', 'processing', 'ready', 'failed'] as const
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number]

export interface DocumentWarning {
  code: WarningCode
  message: string
  page?: number
}

export interface DocumentHealth {
  pages: number
  pagesWithText: number
  pagesWithoutText: number
  chunksSkipped: number
}

/** A document's row: the truth about it. Its originals lie in blobs/ under `sha256`. */
export interface DocumentRecord {
  id: string
  ownerId: string
  projectId: string
  projectName: string
  name: string
  /** Where the file came from; with the project its identity. */
  path: string
  /** By content, as sniffed at upload. */
  mediaType: string
  sizeBytes: number
  sha256: string
  status: DocumentStatus
  /** Counts up with every replacement and every reprocessing; a result of older work is thrown away. */
  version: number
  createdAt: Date
  updatedAt: Date
  readyAt: Date | null
  pageCount: number | null
  chunkCount: number | null
  embeddingModel: string | null
  error: { code: ErrorCode; message: string } | null
  warnings: DocumentWarning[]
  health: DocumentHealth
  title: string | null
  tags: string[]
  /** What the parser used and found, e.g. {engine: 'pdfium', encoding: 'utf-8', took_ms: 12}. */
  parse: Record<string, unknown>
}

export interface ApiKeyRecord {
  id: string
  ownerId: string
  name: string
  scopes: Scope[]
  lastFour: string
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
}

/** One change of a document's status, kept so that a listener can resume after `id`. */
export interface DocumentEvent {
  id: number
  ownerId: string
  documentId: string
  projectId: string
  type: 'document.queued' | 'document.processing' | 'document.ready' | 'document.failed' | 'document.deleted'
  /** Parts of the document that matter to a listener: name, status, error, page and chunk counts. */
  data: Record<string, unknown>
  createdAt: Date
}
