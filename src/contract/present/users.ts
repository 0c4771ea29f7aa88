import type { LinkPurpose, ProjectCounts, Quotas, Usage, User as UserRecord } from '../../core/model.ts'
import { passwordLinkAddress } from '../addresses.ts'
import type { UserCreated, UserDeleted, UserDeletion, UserList, UserReset, User as WireUser } from '../users.ts'

/** Presenters of users, here because both http/ and the offline command line need them. */

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
