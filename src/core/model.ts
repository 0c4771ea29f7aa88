import type { ErrorCode, WarningCode } from './errors.ts'

/** What a user may do, and what an application may ask for. */
export const SCOPES = ['read:documents', 'write:documents', 'manage:keys'] as const
/** What an API key may do. Only keys of the owner may read metrics, and never an application. */
export const KEY_SCOPES = [...SCOPES, 'read:metrics'] as const
export type Scope = (typeof SCOPES)[number]
export type KeyScope = (typeof KEY_SCOPES)[number]

/** What a key or an application gets by default: enough to search and to upload. */
export const DEFAULT_SCOPES: readonly Scope[] = ['read:documents', 'write:documents']

export interface User {
  id: string
  email: string | null
  name: string
  role: 'owner' | 'member'
  createdAt: Date
  /** A disabled user's password, sessions, keys and tokens are all refused. */
  disabledAt: Date | null
  /** False until the user has opened the setup or invitation link and set a password. */
  hasPassword: boolean
  /** The last login in a browser; null if there was none. */
  lastLoginAt: Date | null
  /** The user's own quotas. Null means that the instance's quota applies, and 0 that there is no quota. */
  ownQuotas: Quotas
}

/** A user's usage. */
export interface Usage {
  documents: number
  /** The total size of all files. Each copy of a file counts. */
  bytes: number
  /** Passages of all documents. While a new version of a document waits, the passages of the earlier version count. */
  passages: number
}

/** A user's quotas. Null means no quota. */
export type Quotas = Record<keyof Usage, number | null>
/** A change of a user's own quotas. Undefined fields keep their value. */
export type QuotaChange = Partial<Record<keyof Usage, number | null | undefined>>

/** Limits of a password in characters, counted by code point. */
export const PASSWORD_LENGTH = { min: 10, max: 1000 } as const

/** Who is calling. Routes look only at this, not at the credential behind it. */
export interface Principal {
  userId: string
  scopes: ReadonlySet<KeyScope>
  /** The projects that the credential is limited to; null without a limit. */
  projectIds: ReadonlySet<string> | null
  via: 'api_key' | 'access_token'
  /** Id of the key, or of the grant that the token belongs to; for `me`, rate limits and logs. */
  credentialId: string
  /** The end of an API key. */
  credentialLastFour?: string
  credentialName: string | null
  /** The address that an access token was issued for (RFC 8707). Missing when it was issued for no address in particular. */
  resource?: string
  expiresAt: Date | null
}

/** A browser's login. Only a hash of the cookie's token is stored. */
export interface SessionRecord {
  id: string
  userId: string
  /** The browser's User-Agent header, cut to 300 characters. */
  userAgent: string
  address: string
  createdAt: Date
  /** Updated at most once a minute. */
  lastSeenAt: Date
  expiresAt: Date
}

/** Why a one-time link exists: for the first owner, for a new user, or for a user who forgot the password. */
export type LinkPurpose = 'setup' | 'invitation' | 'reset'

/** An application that may ask users for access (RFC 6749 section 2). */
export interface ApplicationRecord {
  /** The `client_id`. Has only `[A-Za-z0-9_-]`, because some libraries percent-encode Basic credentials and some do not. */
  id: string
  /** The user who registered it; null for a built-in application, and for one that registered itself. */
  ownerId: string | null
  name: string
  type: 'confidential' | 'public'
  redirectUris: string[]
  /** The most it may ask for. */
  scopes: Scope[]
  /** For an application that registered itself: the grants that it named. Missing if it may use all. */
  grantTypes?: readonly string[]
  createdAt: Date
  updatedAt: Date
  /** Newest first; an older secret works until it expires. A public application has none. */
  secrets: { lastFour: string; createdAt: Date; expiresAt: Date | null }[]
}

/**
 * The IDs of the projects that a credential is limited to; null without a limit. An ID stays after its project is deleted, so that a
 * limit never turns into no limit.
 */
export type ProjectLimit = readonly string[] | null

/** What a user allowed an application: the family of all tokens that come from one consent. */
export interface GrantRecord {
  id: string
  userId: string
  clientId: string
  scopes: Scope[]
  projectIds: ProjectLimit
  /** The resource that the tokens are bound to (RFC 8707), or null. */
  resource: string | null
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** What a member of a project may do, each role more than the one before. */
export const PROJECT_ROLES = ['reader', 'writer', 'manager'] as const
export type ProjectRole = (typeof PROJECT_ROLES)[number]

/** Stands for all users of the instance where a member is named. No ID of a user looks like this. */
export const EVERYONE = 'everyone'

/** The name of the project that each user has for themselves. It has no other members. */
export const PRIVATE_PROJECT = 'default'

export interface Project {
  id: string
  /** The user whose quotas the documents count towards. Usually a manager. */
  ownerId: string
  name: string
  description: string
  createdAt: Date
  updatedAt: Date
}

/** A project that a user may see. */
export interface VisibleProject extends Pick<Project, 'id' | 'name' | 'ownerId'> {
  ownerName: string
  /** What the user may do there. */
  role: ProjectRole
}

export interface ProjectCounts {
  documents: number
  chunks: number
  bytes: number
  statuses: Record<DocumentStatus, number>
}

/** How many tags a document can have. */
export const MAX_TAGS = 100

/** What a list of documents can be sorted by, each with the order that readers expect of it. */
export const DOCUMENT_SORTS = { newest: 'desc', name: 'asc', size: 'desc', pages: 'desc', status: 'asc' } as const
export type DocumentSort = keyof typeof DOCUMENT_SORTS
export const SORT_ORDERS = ['asc', 'desc'] as const
export type SortOrder = (typeof SORT_ORDERS)[number]

export const DOCUMENT_STATUSES = ['queued', 'processing', 'ready', 'failed'] as const
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number]

/** How an original differs from the bytes that were uploaded. */
export type OriginalDamage = 'missing' | 'empty' | 'cut_off' | 'changed'

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

/** The database's row of a document, which overrules the index. blobs/ has the original under `sha256`. */
export interface DocumentRecord {
  id: string
  ownerId: string
  projectId: string
  projectName: string
  name: string
  /** Where the file came from. Project and path together identify the document. */
  path: string
  /** Detected from the content at upload. */
  mediaType: string
  sizeBytes: number
  sha256: string
  status: DocumentStatus
  /** Increases with every replacement and reprocessing, so that results of older work can be dropped. */
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
  /** Who uploaded the present bytes; null for bytes from before the first release. */
  uploaderId: string | null
  /** The message that the document is attached to; null for a document that a user uploaded. */
  parentId: string | null
  /** The page of that document that has the message. */
  parentPage: number | null
}

export interface ApiKeyRecord {
  id: string
  ownerId: string
  name: string
  scopes: KeyScope[]
  projectIds: ProjectLimit
  lastFour: string
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
}

/** A search that a user has saved. */
export interface SavedSearchRecord {
  id: string
  name: string
  /** The search as the query of its address. */
  parameters: string
  createdAt: Date
}

/** One change of a document's status, stored so that a listener can resume after `id`. */
export interface DocumentEvent {
  id: number
  documentId: string
  projectId: string
  type: 'document.queued' | 'document.processing' | 'document.ready' | 'document.failed' | 'document.deleted'
  /** What a listener needs of the document: name, status, error, page and chunk counts. */
  data: Record<string, unknown>
  createdAt: Date
}

/** Which reranker is used, as the health of the instance shows it. */
export interface RerankerState {
  status: 'ok' | 'degraded'
  /** `reranker_testing`: a model is being tested, and the order without it is used until then. */
  code: 'ok' | 'reranker_testing' | RerankModelFailure
  /** Why this reranker is used, in sentences for users. */
  message: string
  /** What users see as `rerank.model`; null for the fused order itself. */
  model: string | null
}

/** Why a reranker model can't be used. */
export type RerankModelFailure =
  /** Out of reach, overloaded or not installed: trying again later may help. */
  | 'reranker_unavailable'
  /** It answers, but not as a reranker. */
  | 'reranker_unsuitable'
