import { DocsearchError } from '../core/errors.ts'
import { SCOPES, type Scope, type User } from '../core/model.ts'
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
 * - Users see only their own keys, applications and connections.
 * - Users and models belong to the whole instance: only its owner may change them.
 * - No credential can make another one that may do more than itself.
 */

/** On whose behalf a service acts. */
export interface Actor {
  userId: string
  role: User['role']
  scopes: ReadonlySet<Scope>
}

/** Returns the actor for a user. A browser login has every scope; a key or a token has those it was given. */
export function actorOf({ id, role }: Pick<User, 'id' | 'role'>, scopes: Iterable<Scope> = SCOPES): Actor {
  return { userId: id, role, scopes: new Set(scopes) }
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
  /** Health counts documents, for which any scope does. */
  toCount(actor: Actor): Promise<VisibleProjects>
  /** Uploading, changing and deleting needs `write:documents`. `VisibleProjects.requireRole` checks the role. Throws `insufficient_scope`. */
  toWrite(actor: Actor): Promise<VisibleProjects>
}

export function createAccess({ members }: { members: Pick<Members, 'visibleTo'> }): Access {
  const visibleTo = async ({ userId }: Actor) => VisibleProjects.of(await members.visibleTo(userId))
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
  }
}

/** Keys, applications and connections need `manage:keys`. Returns the id of the user whose the actor may manage: their own. */
export function requireManager(actor: Actor): string {
  requireScope(actor, 'manage:keys')
  return actor.userId
}

/** Users and models need `manage:keys` and the owner of the instance. */
export function requireAdministrator(actor: Actor): void {
  requireScope(actor, 'manage:keys')
  requireOwner(actor)
}

/** A key can't have more scopes than the credential that makes it. */
export function requireScopesForKey(actor: Actor, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !actor.scopes.has(scope))
  if (missing.length === 0) return
  throw insufficientScope(
    `A key cannot have more scopes than the credential that creates it, and yours lacks ${missing.join(', ')}. Leave these scopes out, or use a credential that has them.`,
    missing,
  )
}

/** A password gives its user every scope. A credential with fewer must not set one for its own user, nor make a link to set one. */
export function requireScopesForPassword(actor: Actor, user: Pick<User, 'id' | 'role'>): void {
  const missing = SCOPES.filter((scope) => !actor.scopes.has(scope))
  // There is one owner, and only the owner manages users: the owner's account is the actor's own.
  if (missing.length === 0 || (user.id !== actor.userId && user.role !== 'owner')) return
  throw insufficientScope(
    `A password gives its user every scope, and this credential lacks ${missing.join(', ')}. Use a credential that has them all.`,
    missing,
  )
}

export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.scopes.has(scope)) return
  throw insufficientScope(`This needs the scope ${scope}, which the credential does not have. Use a credential that has it.`, [
    scope,
  ])
}

export function requireOwner(actor: Actor): void {
  if (isOwner(actor)) return
  throw new DocsearchError('owner_only', 'Only the owner of this instance may do this. Ask the owner to do it.')
}

export function isOwner({ role }: Pick<Actor, 'role'>): boolean {
  return role === 'owner'
}

/** RFC 6750 section 3.1: `scope` names what would do. */
function insufficientScope(message: string, scopes: readonly Scope[]): DocsearchError {
  return new DocsearchError('insufficient_scope', message, { details: { scope: scopes.join(' ') } })
}
