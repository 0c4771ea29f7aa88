import type { z } from 'zod'
import type { AuditEvent as Event } from '../core/audit.ts'
import { type Examination, type Finding, statusOf } from '../core/findings.ts'
import type {
  ApplicationRecord,
  DocumentRecord,
  LinkPurpose,
  ProjectCounts,
  Quotas,
  Usage,
  User as UserRecord,
} from '../core/model.ts'
import { WEBHOOK_TEST, type WebhookEvent } from '../core/webhooks.ts'
import { passwordLinkAddress } from './addresses.ts'
import type { AuditEvent, AuditList, auditListQuery } from './audit.ts'
import type { OAuthClient, OAuthClientCreated, OAuthClientList, OAuthClientRotated } from './clients.ts'
import type { DoctorFinding, DoctorReport } from './doctor.ts'
import type { Document } from './documents.ts'
import type { User as WireUser, UserCreated, UserDeleted, UserDeletion, UserList, UserReset } from './users.ts'
import type { WebhookMessage, WebhookTestMessage } from './webhooks.ts'

// Presenters that not only http/ needs, but also the offline command line and the messages of webhooks.

/** A user as a service returns it. */
type User = UserRecord & { usage: Usage; quotas: Quotas; projectCount: number }

export function presentUser(user: User): WireUser {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    disabled: user.disabledAt !== null,
    has_password: user.hasPassword,
    created_at: user.createdAt.toISOString(),
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    project_count: user.projectCount,
    usage: user.usage,
    quota: user.quotas,
  }
}

export function presentUsers({ items, nextCursor }: { items: readonly User[]; nextCursor: string | null }): UserList {
  return { users: items.map(presentUser), next_cursor: nextCursor }
}

interface Link {
  token: string
  purpose: LinkPurpose
  expiresAt: Date
}

export function presentUserWithLink({ user, link }: { user: User; link: Link }, baseUrl: string): UserReset {
  return {
    ...presentUser(user),
    invitation_url: passwordLinkAddress(baseUrl, link.token),
    invitation_expires_at: link.expiresAt.toISOString(),
  }
}

export function presentNewUser({ user, link }: { user: User; link: Link | null }, baseUrl: string): UserCreated {
  return link === null ? presentUser(user) : presentUserWithLink({ user, link }, baseUrl)
}

export function presentDeletedUser({ user, documentsDeleted }: { user: UserRecord; documentsDeleted: number }): UserDeleted {
  return { id: user.id, email: user.email, documents_deleted: documentsDeleted }
}

interface Deletion {
  user: UserRecord
  projects: readonly { id: string; name: string; counts: ProjectCounts; trashed: number }[]
}

export function presentUserDeletion({ user, projects }: Deletion): UserDeletion {
  return {
    id: user.id,
    email: user.email,
    projects: projects.map(({ id, name, counts, trashed }) => ({
      id,
      name,
      document_count: counts.documents,
      trashed_count: trashed,
    })),
    document_count: projects.reduce((sum, { counts }) => sum + counts.documents, 0),
    trashed_count: projects.reduce((sum, { trashed }) => sum + trashed, 0),
  }
}

/** Never contains a secret. */
export function presentApplication(application: ApplicationRecord): OAuthClient {
  return {
    client_id: application.id,
    name: application.name,
    type: application.type,
    redirect_uris: application.redirectUris,
    scopes: application.scopes,
    secrets: application.secrets.map((secret) => ({
      last_four: secret.lastFour,
      created_at: secret.createdAt.toISOString(),
      expires_at: secret.expiresAt?.toISOString() ?? null,
    })),
    created_at: application.createdAt.toISOString(),
    updated_at: application.updatedAt.toISOString(),
  }
}

export function presentApplications(applications: readonly ApplicationRecord[]): OAuthClientList {
  return { clients: applications.map(presentApplication) }
}

/** The secret follows the id, because people copy the two together. */
export function presentNewApplication({
  application,
  secret,
}: {
  application: ApplicationRecord
  secret: string | null
}): OAuthClientCreated {
  const { client_id, ...rest } = presentApplication(application)
  return { client_id, ...(secret !== null && { client_secret: secret }), ...rest }
}

export function presentRotatedApplication(rotated: {
  application: ApplicationRecord
  secret: string
  oldUntil: Date
}): OAuthClientRotated {
  const { secret, oldUntil } = rotated
  return { ...presentNewApplication(rotated), client_secret: secret, old_secrets_expire_at: oldUntil.toISOString() }
}

/** An event as a service returns it. */
type SeenEvent = Omit<Event, 'id'> & { id: string }

export function presentAuditEvents({ items, nextCursor }: { items: readonly SeenEvent[]; nextCursor: string | null }): AuditList {
  return { events: items.map(presentEvent), next_cursor: nextCursor }
}

function presentEvent({ id, time, action, actor, user, project, document, address, credential, details }: SeenEvent): AuditEvent {
  return {
    id,
    time: time.toISOString(),
    action,
    actor,
    ...(user !== null && { user }),
    ...(project !== null && { project }),
    ...(document !== null && { document }),
    address,
    credential: credential && {
      kind: credential.kind,
      id: credential.id,
      name: credential.name,
      last_four: credential.lastFour,
    },
    details,
  }
}

/** Returns the filter of a request as the service takes it. */
export function toAuditFilter({ after, before, ...filter }: z.output<typeof auditListQuery>) {
  return {
    ...filter,
    ...(after !== undefined && { after: new Date(after) }),
    ...(before !== undefined && { before: new Date(before) }),
  }
}

/** Presents a document. */
export function presentDocument(document: DocumentRecord & { trashedAt?: Date }): Document {
  return {
    id: document.id,
    project: { id: document.projectId, name: document.projectName },
    name: document.name,
    path: document.path,
    media_type: document.mediaType,
    size_bytes: document.sizeBytes,
    sha256: document.sha256,
    status: document.status,
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
    ready_at: document.readyAt?.toISOString() ?? null,
    trashed_at: document.trashedAt?.toISOString() ?? null,
    page_count: document.pageCount,
    chunk_count: document.chunkCount,
    embedding_model: document.embeddingModel,
    error: document.error === null ? null : { code: document.error.code, message: document.error.message },
    warnings: document.warnings.map(({ code, message, page }) =>
      page === undefined ? { code, message } : { code, message, page },
    ),
    health: {
      pages: document.health.pages,
      pages_with_text: document.health.pagesWithText,
      pages_without_text: document.health.pagesWithoutText,
      chunks_skipped: document.health.chunksSkipped,
    },
    title: document.title,
    tags: document.tags,
    parent_id: document.parentId,
    parent_page: document.parentPage,
    parse: document.parse,
  }
}

/** Returns the body of a message about a document, as every attempt sends it. It has what a reader of the project may see. */
export function documentMessage(type: WebhookEvent, at: Date, document: DocumentRecord): string {
  const message: WebhookMessage = { type, timestamp: at.toISOString(), data: { document: presentDocument(document) } }
  return JSON.stringify(message)
}

/** Returns the body of a test. */
export function testMessage(at: Date, webhookId: string): string {
  const message: WebhookTestMessage = { type: WEBHOOK_TEST, timestamp: at.toISOString(), data: { webhook: { id: webhookId } } }
  return JSON.stringify(message)
}

export function presentExamination({ checks, findings }: Examination): DoctorReport {
  return { status: statusOf(findings), checks, findings: findings.map(presentFinding) }
}

function presentFinding({ documents, isRepaired, ...finding }: Finding): DoctorFinding {
  return { ...finding, repaired: isRepaired, documents: documents.map(({ id, project, path }) => ({ id, project, path })) }
}
