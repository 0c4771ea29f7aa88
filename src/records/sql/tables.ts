import type { Generated } from 'kysely'
import type { ErrorCode } from '../../core/errors.ts'
import type { DocumentStatus, LinkPurpose, OriginalDamage, ProjectLimit, ProjectRole } from '../../core/model.ts'
import type { DeliveryState, WebhookMessageType, WebhookStop } from '../../core/webhooks.ts'
import type { BackupKind, BackupOutcome } from '../backups.ts'
import type { OAuthTables } from './oauth-tables.ts'

/**
 * The tables and columns. They use only types that every SQL database has: a moment is a number of milliseconds since 1970,
 * because integers compare and sort the same everywhere; a flag is 0 or 1; lists and objects are JSON text.
 */
export interface Tables extends OAuthTables {
  users: UserRow
  one_time_links: OneTimeLinkRow
  sessions: SessionRow
  api_keys: ApiKeyRow
  projects: ProjectRow
  project_members: ProjectMemberRow
  documents: DocumentRow
  trash: TrashRow
  damaged_originals: DamagedOriginalRow
  document_counts: DocumentCountRow
  folder_counts: FolderCountRow
  usage: UsageRow
  queue_turns: QueueTurnRow
  pages: PageRow
  messages: MessageRow
  quotations: QuotationRow
  tombstones: TombstoneRow
  events: EventRow
  event_trims: EventTrimRow
  generations: IndexRow
  vocabularies: VocabularyRow
  vocabulary_words: VocabularyWordRow
  document_words: DocumentWordsRow
  generation_documents: IndexDocumentRow
  settings: SettingRow
  synonyms: SynonymRow
  saved_searches: SavedSearchRow
  backups: BackupRow
  audit_events: AuditEventRow
  audit_managers: AuditManagerRow
  webhooks: WebhookRow
  webhook_deliveries: WebhookDeliveryRow
}

export interface UserRow {
  id: string
  email: string | null
  /** The address in folded case (core/fold-name.ts). Unique. */
  email_folded: string | null
  name: string
  role: 'owner' | 'member'
  password_hash: string | null
  created_at: number
  disabled_at: number | null
  last_login_at: number | null
  /** The user's own quotas. Null means that the instance's quota applies, and 0 that there is no quota. */
  quota_documents: number | null
  quota_bytes: number | null
  quota_passages: number | null
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
  /** See `ProjectLimit`. */
  projects: string | null
  created_at: number
  last_used_at: number | null
  expires_at: number | null
}

export interface ProjectRow {
  id: string
  /** Whose quotas the documents count towards. Triggers give the documents the same owner. */
  owner_id: string
  /** The ID. It satisfies a unique constraint of SQLite that can't be dropped: projects of one owner may have the same name. */
  unique_name: string
  name: string
  description: string
  created_at: number
  updated_at: number
}

/** The rows of a deleted project stay for a while: they say who may hear of the deletion. */
export interface ProjectMemberRow {
  project_id: string
  /** Null stands for all users of the instance. */
  user_id: string | null
  role: ProjectRole
  created_at: number
}

export interface DocumentRow {
  id: string
  owner_id: string
  /** Who uploaded the present bytes; null for bytes from before the first release. */
  uploader_id: string | null
  project_id: string
  name: string
  /** The name in folded case, for searches. Databases disagree about lower case, so docsearch folds it. */
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
  /** How often this version was claimed without being finished. */
  attempts: number
  queued_at: number
  not_before: number | null
  /** The version that the stored pages belong to; null when there are none. */
  pages_version: number | null
  /** 1 when the index may hold passages of some version. */
  indexed: number
  /**
   * The passages that count towards the owner's quota: those that the index holds or is about to hold. While a new version waits,
   * this is the number of the earlier version.
   */
  passages: number
  /** The message that a document is attached to, and the page that has the message. Null for documents that users uploaded. */
  parent_id: string | null
  parent_page: number | null
}

/** A document as it was when it came to the trash. */
export type TrashRow = Omit<DocumentRow, 'attempts' | 'queued_at' | 'not_before' | 'pages_version' | 'indexed' | 'passages'> & {
  trashed_at: number
}

/** An original whose bytes are not those that were uploaded. */
export interface DamagedOriginalRow {
  sha256: string
  damage: OriginalDamage
  found_at: number
}

/**
 * Documents, passages and bytes of a project by status. Triggers on the documents maintain this table; nothing else writes to it.
 */
export interface FolderCountRow {
  project_id: string
  /** The first folder of the path, with its slash. Empty for documents outside of folders. */
  folder: string
  documents: number
}

export interface DocumentCountRow {
  project_id: string
  status: DocumentStatus
  owner_id: string
  documents: number
  chunks: number
  bytes: number
}

/** Triggers on the documents maintain `waiting`; a claim writes `turn`. */
export interface QueueTurnRow {
  owner_id: string
  /** Grows with each claim: the user with the smallest number was served longest ago. */
  turn: number
  /** How many of the user's documents are queued. */
  waiting: number
}

/** The usage of a user. Only triggers on the documents write to this table. */
export interface UsageRow {
  owner_id: string
  documents: number
  bytes: number
  passages: number
}

/** The header of a message, which is a page of its document. */
export interface MessageRow {
  document_id: string
  page: number
  sender: string
  /** In folded case, like the next two. */
  sender_folded: string
  recipients_folded: string
  subject_folded: string
  sent_at: number | null
  message_id: string | null
  /** The `message_id`s of the messages that it answers, as JSON. */
  answers: string
}

/** The document repeats text of the source, which is not in the index a second time. */
export interface QuotationRow {
  document_id: string
  source_id: string
}

export interface PageRow {
  document_id: string
  number: number
  text: string
  blocks: string
  /** See `pageChecksum`. */
  checksum: number | null
}

/** Documents whose passages have to leave the index: deleted documents, and failed ones of which a version was searchable. */
export interface TombstoneRow {
  document_id: string
  created_at: number
}

export interface EventRow {
  id: number
  project_id: string
  document_id: string
  type: string
  data: string
  created_at: number
}

/** The newest trimmed event of a project. */
export interface EventTrimRow {
  project_id: string
  last_id: number
}

export interface IndexRow {
  id: string
  fingerprint: string
  embedding_model: string
  dimensions: number
  /** `kept` is a retired index. */
  state: 'active' | 'building' | 'kept'
  /** `ModelMeasurements` as JSON; null until they are made. Earlier versions stored the vectors of the canary texts alone. */
  canaries: string | null
  created_at: number
}

/** What an index that is not active holds of a document. For the active index the document's own row says it. */
export interface IndexDocumentRow {
  generation_id: string
  document_id: string
  version: number
  /** Null when the index's embedder could not embed the document. */
  chunks: number | null
  chunks_skipped: number
  /** The warnings that embedding caused, as JSON. */
  warnings: string
}

/** What a user chose while the instance ran, and the key of the ids of events. */
export interface SettingRow {
  name: string
  value: string
}

export interface VocabularyRow {
  id: Generated<number>
  project_id: string
  /** The vocabulary has at most this many rows in `vocabulary_words`. */
  words: number
}

/** A word of a project's documents, with the term that the index has for it. */
export interface VocabularyWordRow {
  vocabulary_id: number
  word: string
  term: string
  documents: number
}

/** What a document counts for in the vocabulary, so that it can be subtracted again. `words` is JSON: `["term word", …]`. */
export interface DocumentWordsRow {
  document_id: string
  words: string
}

/** A rule of a project's synonyms. */
export interface BackupRow {
  id: string
  kind: BackupKind
  outcome: BackupOutcome
  started_at: number
  /** No original is deleted before this time while the backup runs. */
  lease_until: number
  finished_at: number | null
  bytes: number
  documents: number
}

export interface SavedSearchRow {
  id: string
  user_id: string
  name: string
  /** The query of the search's address. */
  parameters: string
  created_at: number
}

export interface SynonymRow {
  id: string
  project_id: string
  owner_id: string
  /** Orders the rules of the project. */
  position: number
  /** See `synonymKey`. */
  rule_key: string
  /** A list as JSON, like `expands_to`. */
  words: string
  expands_to: string | null
  /** The number of words and phrases on both sides. */
  size: number
  created_at: number
}

export function limitColumn(limit: ProjectLimit): string | null {
  return limit === null ? null : JSON.stringify(limit)
}

export function limitOf({ projects }: { projects: string | null }): ProjectLimit {
  return projects === null ? null : (JSON.parse(projects) as string[])
}

/** What happened, with all names as they were then. The IDs refer to nothing: the rows outlive what they name. */
export interface AuditEventRow {
  /** Orders the events. At least `created_at`. */
  id: number
  action: string
  actor_id: string | null
  actor_name: string | null
  actor_email: string | null
  /** Whose account the event is about. */
  user_id: string | null
  user_name: string | null
  user_email: string | null
  project_id: string | null
  project_name: string | null
  document_id: string | null
  document_name: string | null
  address: string | null
  /** A CallerCredential as JSON. */
  credential: string | null
  details: string
  created_at: number
}

/** A user who was a manager of a project when it was deleted. */
export interface AuditManagerRow {
  user_id: string
  project_id: string
}

export interface WebhookRow {
  id: string
  project_id: string
  url: string
  description: string
  /** JSON list. */
  events: string
  /** JSON list of `{sealed, expires_at}`, the present secret first. */
  secrets: string
  created_at: number
  updated_at: number
  disabled_at: number | null
  disabled_reason: WebhookStop | null
  failing_since: number | null
  /** How many deliveries are in the state `waiting`. */
  waiting: number
}

export interface WebhookDeliveryRow {
  id: string
  webhook_id: string
  type: WebhookMessageType
  document_id: string | null
  document_name: string | null
  body: string
  state: DeliveryState
  /** JSON list of `{at, status, error, took_ms}`. */
  attempts: string
  failures: number
  created_at: number
  /** Only in the state `waiting`. */
  due_at: number | null
  /** Only in the other states. */
  finished_at: number | null
}

export function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
