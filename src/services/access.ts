import { DocsearchError } from '../core/errors.ts'
import { SCOPES, type ProjectLimit, type KeyScope, type User } from '../core/model.ts'
import type { Members } from '../records/records.ts'
import { VisibleProjects } from './visible-projects.ts'

/**
 * Who may do what: all the rules, in one place. Every service asks here before it does anything. The steps in http/middleware/ ask the
 * same functions earlier, so that a request is refused before its body is read.
 *
 * A credential has scopes, and an actor needs the scope of what they do. On top of that:
 * - Users see only the projects that they are members of, with their documents. This includes the owner of the instance. Other projects
 *   don't exist for them (404), so services pass the visible projects to the records with every call. The role of the member decides
 *   what they may do there (403 `insufficient_role`).
 * - A credential may be limited to some of these projects. Then all others don't exist for it, and it can create none. It can't do
 *   what concerns the whole account or the whole instance either, because that would reach other projects (403 `limited_to_projects`).
 * - Users see only their own keys, applications and connections.
 * - Users and models belong to the whole instance: only its owner may change them.
 * - A backup has the documents of all users. Only the owner may take one, with all scopes and without a limit.
 * - No credential can make another one that may do more than itself.
 */

/** On whose behalf a service acts. */
export interface Actor {
  userId: string
  role: User['role']
  scopes: ReadonlySet<KeyScope>
  /** The projects that the credential is limited to; null without a limit. */
  projectIds: ReadonlySet<string> | null
}

/** Returns the actor for a user. A browser login has every scope; a key or a token has those it was given. */
export function actorOf(
  { id, role }: Pick<User, 'id' | 'role'>,
  scopes: Iterable<KeyScope> = SCOPES,
  projectIds: ReadonlySet<string> | null = null,
): Actor {
  return { userId: id, role, scopes: new Set(scopes), projectIds }
}

/** Returns the actor for the offline command line. It may do all that the owner may, also before there is an owner. */
export function offlineActor(owner: Pick<User, 'id'> | null): Actor {
  return actorOf({ id: owner?.id ?? 'offline', role: 'owner' })
}

/** Decides which projects an actor may see. Answers from memory while no member changes. */
export interface Access {
  /** Searching and reading needs `read:documents`, and any role. Throws `insufficient_scope`. */
  toRead(actor: Actor): Promise<VisibleProjects>
  /** Listening to events needs `read:documents`. Returns also projects that were deleted. Throws `insufficient_scope`. */
  toHear(actor: Actor): Promise<ReadonlySet<string>>
  /** Health counts documents, and `getMe` and keys name the projects of a limit. Any scope does. */
  toCount(actor: Actor): Promise<VisibleProjects>
  /** Uploading, changing and deleting needs `write:documents`. `VisibleProjects.requireRole` checks the role. Throws `insufficient_scope`. */
  toWrite(actor: Actor): Promise<VisibleProjects>
  /** Creating projects needs `write:documents` and no limit. Throws `insufficient_scope` and `limited_to_projects`. */
  toCreateProject(actor: Actor): Promise<VisibleProjects>
  /**
   * Returns the limit of a new credential, from projects by ID or name. By default, it is the actor's own limit. Throws
   * `project_not_found` and `ambiguous_name`.
   */
  toLimit(actor: Actor, projects: readonly string[] | undefined): Promise<ProjectLimit>
}

export function createAccess({ members }: { members: Pick<Members, 'visibleTo'> }): Access {
  const visibleTo = async ({ userId, projectIds }: Actor) =>
    VisibleProjects.of(await members.visibleTo(userId)).limitedTo(projectIds)
  return {
    async toRead(actor) {
      requireScope(actor, 'read:documents')
      return visibleTo(actor)
    },
    async toHear(actor) {
      requireScope(actor, 'read:documents')
      return (await visibleTo(actor)).heardIds
    },
    toCount: visibleTo,
    async toWrite(actor) {
      requireScope(actor, 'write:documents')
      return visibleTo(actor)
    },
    async toCreateProject(actor) {
      requireScope(actor, 'write:documents')
      requireNoLimit(actor, 'it cannot create a project')
      return visibleTo(actor)
    },
    async toLimit(actor, projects) {
      if (projects === undefined) return actor.projectIds && [...actor.projectIds]
      const visible = await visibleTo(actor)
      return [...new Set(projects.map((idOrName) => visible.require(idOrName).id))]
    },
  }
}

/** Keys, applications and connections need `manage:keys`. Returns the id of the user whose the actor may manage: their own. */
export function requireManager(actor: Actor): string {
  requireScope(actor, 'manage:keys')
  return actor.userId
}

/** Users and models need `manage:keys`, the owner of the instance, and a credential without a limit. */
export function requireAdministrator(actor: Actor): void {
  requireScope(actor, 'manage:keys')
  requireOwner(actor)
}

/** Metrics are about the whole instance: they need `read:metrics`, its owner, and a credential without a limit. */
export function requireMetrics(actor: Actor): void {
  requireScope(actor, 'read:metrics')
  requireOwner(actor)
}

/**
 * A key can't have more scopes than the credential that makes it. `read:metrics` is an exception: a user who administers the instance
 * can already see more than its metrics.
 */
export function requireScopesForKey(actor: Actor, scopes: readonly KeyScope[], projects: ProjectLimit): void {
  if (scopes.includes('read:metrics')) {
    requireAdministrator(actor)
    if (projects !== null) {
      throw new DocsearchError(
        'invalid_request',
        'A key with the scope read:metrics cannot be limited to projects, because metrics are about the whole instance.',
      )
    }
  }
  const missing = scopes.filter((scope) => scope !== 'read:metrics' && !actor.scopes.has(scope))
  if (missing.length === 0) return
  throw insufficientScope(
    `A key cannot have more scopes than the credential that creates it, and yours lacks ${missing.join(', ')}. Leave these scopes out, or use a credential that has them.`,
    missing,
  )
}

/**
 * A password gives its user every scope and every project. A credential with less must not set one for its own user, nor make a link
 * to set one.
 */
export function requireScopesForPassword(actor: Actor, user: Pick<User, 'id' | 'role'>): void {
  const missing = SCOPES.filter((scope) => !actor.scopes.has(scope))
  // There is one owner, and only the owner manages users: the owner's account is the actor's own.
  if (user.id !== actor.userId && user.role !== 'owner') return
  requireNoLimit(actor, 'it cannot set a password or the email address to log in with')
  if (missing.length === 0) return
  throw insufficientScope(
    `A password gives its user every scope, and this credential lacks ${missing.join(', ')}. Use a credential that has them all.`,
    missing,
  )
}

/** The scopes that together allow everything that a user may do. */
const EVERYTHING = ['read:documents', 'write:documents', 'manage:keys'] as const satisfies readonly KeyScope[]

/** `reason` completes the sentence. */
export function requireAllScopes(actor: Actor, reason: string): void {
  const missing = EVERYTHING.filter((scope) => !actor.scopes.has(scope))
  if (missing.length === 0) return
  throw insufficientScope(
    `This needs the scopes ${EVERYTHING.join(', ')}, because ${reason}. The credential lacks ${missing.join(', ')}. Use a credential that has them all.`,
    missing,
  )
}

export function requireScope(actor: Actor, scope: KeyScope): void {
  if (actor.scopes.has(scope)) return
  throw insufficientScope(`This needs the scope ${scope}, which the credential does not have. Use a credential that has it.`, [
    scope,
  ])
}

/** Throws `limited_to_projects` for what belongs to the whole account. */
export function requireAccount(actor: Actor): void {
  requireNoLimit(actor, 'it cannot use what belongs to your whole account')
}

/** Throws `limited_to_projects` for a credential with a limit. `consequence` completes the sentence. */
function requireNoLimit({ projectIds }: Actor, consequence: string): void {
  if (projectIds === null) return
  throw new DocsearchError(
    'limited_to_projects',
    `This credential is limited to certain projects, so ${consequence}. Use a credential without such a limit.`,
  )
}

/** Returns true for the owner of the instance, who sees numbers about the whole instance, except with a limited credential. */
export function seesWholeInstance({ role, projectIds }: Actor): boolean {
  return role === 'owner' && projectIds === null
}

export function requireOwner(actor: Actor): void {
  if (!isOwner(actor))
    throw new DocsearchError('owner_only', 'Only the owner of this instance may do this. Ask the owner to do it.')
  requireNoLimit(actor, 'it cannot manage the instance')
}

export function isOwner({ role }: Pick<Actor, 'role'>): boolean {
  return role === 'owner'
}

/** RFC 6750 section 3.1: `scope` names what would do. */
function insufficientScope(message: string, scopes: readonly KeyScope[]): DocsearchError {
  return new DocsearchError('insufficient_scope', message, { details: { scope: scopes.join(' ') } })
}
