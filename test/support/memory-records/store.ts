import type { AuditEvent, AuditFact } from '../../../src/core/audit.ts'
import type { Clock } from '../../../src/core/clock.ts'
import type {
  ApiKeyRecord,
  DocumentEvent,
  DocumentRecord,
  GrantRecord,
  LinkPurpose,
  ApplicationRecord,
  Project,
  ProjectRole,
  Quotas,
  SavedSearchRecord,
  SessionRecord,
  Usage,
  User,
} from '../../../src/core/model.ts'
import type { MessageHeader, Page } from '../../../src/core/parsed.ts'
import type { SynonymRecord } from '../../../src/core/synonyms.ts'
import type { IndexedDocument, IndexRecord, ModelMeasurements } from '../../../src/records/indexes.ts'
import type { CodeRecord } from '../../../src/records/oauth-codes.ts'
import type { DeviceRecord } from '../../../src/records/oauth-devices.ts'
import type { TokenRecord } from '../../../src/records/oauth-grants.ts'
import type { ProjectIds } from '../../../src/records/projects.ts'
import { effectiveQuotas, type Allowance } from '../../../src/records/quotas.ts'
import { TOUCH_INTERVAL_MS } from '../../../src/records/rules.ts'
import { record } from './audit-record.ts'
import { addMessages, type StoredDelivery, type StoredWebhook } from './webhook-messages.ts'
import { WordCounts } from './word-counts.ts'

export type StoredUser = Omit<User, 'hasPassword'> & { passwordHash: string | null }
export type StoredSession = SessionRecord & { sha256: string }
export type StoredKey = ApiKeyRecord & { sha256: string }

export interface StoredLink {
  userId: string
  purpose: LinkPurpose
  expiresAt: Date
  isUsed: boolean
}

export type StoredApplication = Omit<ApplicationRecord, 'secrets' | 'ownerId'> & { ownerId: string; secrets: StoredSecret[] }

export interface StoredSecret {
  sha256: string
  lastFour: string
  createdAt: Date
  expiresAt: Date | null
}

export type StoredToken = Omit<TokenRecord, 'grant'> & { grantId: string }
export type StoredDevice = DeviceRecord & { userSha256: string }

export interface StoredDocument extends Omit<DocumentRecord, 'projectName'> {
  queuedAt: number
  attempts: number
  pages: Page[]
  /** The version that `pages` belong to; null when there are none. */
  pagesVersion: number | null
  /** True when the index may hold passages of some version. */
  isIndexed: boolean
  /** How many passages of the document count towards its owner's quota. */
  passages: number
  /** The words that the document counts for in its project's vocabulary. */
  counted: string[] | null
}

export interface StoredIndex {
  record: IndexRecord
  measurements: ModelMeasurements | null
  /** What the index holds, by document; empty for the active index, whose contents are in the documents. */
  contents: Map<string, IndexedDocument>
}

/**
 * Everything that records in memory consist of. A method of Records runs without `await` between its first read and its last
 * write, so it is a transaction by itself, as long as it checks everything before it writes anything.
 */
export class MemoryStore {
  readonly clock: Clock
  readonly users = new Map<string, StoredUser>()
  /** By the hash of the token, like the codes and tokens below. */
  readonly links = new Map<string, StoredLink>()
  readonly sessions = new Map<string, StoredSession>()
  readonly keys = new Map<string, StoredKey>()
  readonly applications = new Map<string, StoredApplication>()
  readonly registrations = new Map<string, ApplicationRecord>()
  readonly codes = new Map<string, CodeRecord>()
  readonly grants = new Map<string, GrantRecord>()
  readonly tokens = new Map<string, StoredToken>()
  readonly devices = new Map<string, StoredDevice>()
  readonly projects = new Map<string, Project>()
  /** Also of deleted projects. `userId` is null for all users. */
  members: { projectId: string; userId: string | null; role: ProjectRole }[] = []
  readonly documents = new Map<string, StoredDocument>()
  readonly trash = new Map<string, StoredDocument & { trashedAt: Date }>()
  /** By project, in their order. */
  readonly savedSearches = new Map<string, SavedSearchRecord & { userId: string }>()
  readonly synonyms = new Map<string, SynonymRecord[]>()
  readonly webhooks = new Map<string, StoredWebhook>()
  readonly deliveries = new Map<string, StoredDelivery>()
  /** By document. */
  readonly messages = new Map<string, readonly MessageHeader[]>()
  readonly quotations = new Map<string, ReadonlySet<string>>()
  readonly tombstones = new Set<string>()
  /** When each owner's last document was claimed; a larger number for a later claim. */
  readonly turns = new Map<string, number>()
  readonly indexes = new Map<string, StoredIndex>()
  chosenEmbedder: string | null = null
  events: DocumentEvent[] = []
  #lastEventId = 0
  audit: AuditEvent[] = []
  /** The managers of deleted projects. */
  formerManagers: { projectId: string; userId: string }[] = []
  /** The newest event of each project that was trimmed. */
  readonly eventTrims = new Map<string, number>()
  private readonly vocabularies = new Map<string, WordCounts>()
  private readonly listeners = new Set<(projects: ProjectIds) => void>()
  private readonly changedProjects = new Set<string>()
  private versions = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  now(): Date {
    return this.clock.now()
  }

  isPast(moment: Date): boolean {
    return moment <= this.now()
  }

  /** True when the time of the last use is so long ago that it is written again. */
  isTouchDue(last: Date | null): boolean {
    return last === null || this.now().getTime() - last.getTime() >= TOUCH_INTERVAL_MS
  }

  isActiveUser(id: string): boolean {
    return this.users.get(id)?.disabledAt === null
  }

  usageOf(ownerId: string): Usage {
    const own = [...this.documents.values()].filter((document) => document.ownerId === ownerId)
    const sum = (of: (document: StoredDocument) => number) => own.reduce((total, document) => total + of(document), 0)
    const trashed = [...this.trash.values()].filter((document) => document.ownerId === ownerId)
    const bytes = sum(({ sizeBytes }) => sizeBytes) + trashed.reduce((total, { sizeBytes }) => total + sizeBytes, 0)
    return { documents: own.length, bytes, passages: sum(({ passages }) => passages) }
  }

  allowanceOf(ownerId: string, ofInstance: Quotas): Allowance {
    return { used: this.usageOf(ownerId), quotas: effectiveQuotas(this.users.get(ownerId)!.ownQuotas, ofInstance) }
  }

  vocabularyOf(projectId: string): WordCounts {
    const known = this.vocabularies.get(projectId) ?? new WordCounts()
    this.vocabularies.set(projectId, known)
    return known
  }

  forgetVocabulary(projectId: string): void {
    this.vocabularies.delete(projectId)
  }

  /** Writes an event for each document, and messages for webhooks. Call it inside `write`, which calls the listeners. */
  announce(type: DocumentEvent['type'], documents: readonly StoredDocument[]): void {
    for (const { id, projectId, name, status, version, error, warnings, pageCount, chunkCount } of documents) {
      const createdAt = this.now()
      const eventId = Math.max(this.#lastEventId + 1, createdAt.getTime())
      this.#lastEventId = eventId
      const data = { name, status: type === 'document.deleted' ? 'deleted' : status, version, error }
      const counts = { warnings, page_count: pageCount, chunk_count: chunkCount }
      const event = { id: eventId, documentId: id, projectId, type, createdAt }
      this.events.push(structuredClone({ ...event, data: { ...data, ...counts } }))
      this.changedProjects.add(projectId)
    }
    addMessages(this, type, documents)
  }

  deleteWebhook(id: string): void {
    deleteWhere(this.deliveries, ({ webhookId }) => webhookId === id)
    this.webhooks.delete(id)
  }

  /** Adds an event to the audit log. Call it while the user and the project still have the names to record. */
  record(fact: AuditFact): void {
    record(this, fact)
  }

  /** Runs a change, then calls the listeners with the projects whose documents it announced. */
  write<T>(change: () => T): T {
    const result = change()
    const changed = new Set(this.changedProjects)
    this.changedProjects.clear()
    if (changed.size > 0) for (const listener of this.listeners) listener(changed)
    return result
  }

  subscribe(listener: (projects: ProjectIds) => void): () => void {
    const own = (projects: ProjectIds) => listener(projects)
    this.listeners.add(own)
    return () => void this.listeners.delete(own)
  }

  nextVersion(): number {
    return (this.versions += 1)
  }
}

/** Deletes the entries of a map that a test is true for. Returns how many. */
export function deleteWhere<T>(map: Map<string, T>, test: (value: T) => boolean): number {
  let deleted = 0
  for (const [key, value] of map) if (test(value) && map.delete(key)) deleted += 1
  return deleted
}
