import type { Generated } from 'kysely'
import type { ErrorCode } from '../../core/errors.ts'
import type { DocumentStatus, LinkPurpose } from '../../core/model.ts'
import type { OAuthTables } from './oauth-tables.ts'

/**
 * Columns as they lie in SQL. Moments are milliseconds since 1970 (integers compare and sort the same everywhere),
 * flags are 0 or 1, lists and objects are JSON text: types every SQL database has.
 */
export interface Tables extends OAuthTables {
  users: UserRow
  one_time_links: OneTimeLinkRow
  sessions: SessionRow
  api_keys: ApiKeyRow
  projects: ProjectRow
  documents: DocumentRow
  document_counts: DocumentCountRow
  pages: PageRow
  tombstones: TombstoneRow
  events: EventRow
  generations: IndexRow
  vocabularies: VocabularyRow
  vocabulary_words: VocabularyWordRow
  document_words: DocumentWordsRow
  generation_documents: IndexDocumentRow
  settings: SettingRow
}

export interface UserRow {
  id: string
  email: string | null
  /** Lower case, and unique: addresses are the same without regard to case. */
  email_folded: string | null
  name: string
  role: 'owner' | 'member'
  password_hash: string | null
  created_at: number
  disabled_at: number | null
  last_login_at: number | null
}

export interface OneTimeLinkRow {
  sha256: string
  user_id: string
  purpose: LinkPurpose
  created_at: number
  expires_at: number
  used_at: number | null
}

export interface SessionRow {
  id: string
  user_id: string
  sha256: string
  user_agent: string
  address: string
  created_at: number
  last_seen_at: number
  expires_at: number
}

export interface ApiKeyRow {
  id: string
  owner_id: string
  name: string
  sha256: string
  last_four: string
  scopes: string
  created_at: number
  last_used_at: number | null
  expires_at: number | null
}

export interface ProjectRow {
  id: string
  owner_id: string
  name: string
  description: string
  created_at: number
  updated_at: number
}

export interface DocumentRow {
  id: string
  owner_id: string
  project_id: string
  name: string
  /** Lower case, for searches in names: what is lower case differs between databases, so it is done here. */
  name_folded: string
  path: string
  media_type: string
  size_bytes: number
  sha256: string
  status: DocumentStatus
  version: number
  created_at: number
  updated_at: number
  ready_at: number | null
  page_count: number | null
  chunk_count: number | null
  embedding_model: string | null
  error_code: ErrorCode | null
  error_message: string | null
  warnings: string
  health: string
  title: string | null
  tags: string
  parse: string
  /** Claims of this version that have not come to an end. */
  attempts: number
  queued_at: number
  not_before: number | null
  /** The version whose pages are kept; null when there are none. */
  pages_version: number | null
  /** 1 when chunks of some version may be in the index. */
  indexed: number
}

/** How many documents of a project have a status, and what they hold. Kept by triggers on the documents; nothing else writes here. */
export interface DocumentCountRow {
  project_id: string
  status: DocumentStatus
  owner_id: string
  documents: number
  chunks: number
  bytes: number
}

export interface PageRow {
  document_id: string
  number: number
  text: string
  blocks: string
}

/** Documents whose chunks have to leave the index: deleted ones, and failed ones that had been searchable. */
export interface TombstoneRow {
  document_id: string
  created_at: number
}

export interface EventRow {
  id: Generated<number>
  owner_id: string
  document_id: string
  project_id: string
  type: string
  data: string
  created_at: number
}

export interface IndexRow {
  id: string
  fingerprint: string
  embedding_model: string
  dimensions: number
  state: 'active' | 'building' | 'kept'
  /** Vectors of the canary texts, as JSON; null until they are made. */
  canaries: string | null
  created_at: number
}

/** What an index that is not in use holds of a document. For the one in use the document's own row says it. */
export interface IndexDocumentRow {
  generation_id: string
  document_id: string
  version: number
  /** Null: set aside, the model could do nothing with it. */
  chunks: number | null
  chunks_skipped: number
  /** Those that its embedding caused. */
  warnings: string
}

/** What was chosen while the instance ran, and holds after a restart. */
export interface SettingRow {
  name: string
  value: string
}

export interface VocabularyRow {
  id: Generated<number>
  owner_id: string
  /** At most so many rows of `vocabulary_words` there are. */
  words: number
  /** Passages of all documents that are counted. */
  passages: number
}

/** A word that stands in an owner's documents, by the term under which it is indexed there. */
export interface VocabularyWordRow {
  vocabulary_id: number
  word: string
  term: string
  documents: number
  /** Over all words of a term: the passages with that term. */
  passages: number
}

/** What a document counts for in the vocabulary, so that it can be taken off again. `words` is JSON: `[[word, term, passages], …]`. */
export interface DocumentWordsRow {
  document_id: string
  passages: number
  words: string
}

export function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
