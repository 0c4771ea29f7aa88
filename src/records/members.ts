import type { ProjectRole, User, VisibleProject } from '../core/model.ts'

/** What a user may see. Callers share these objects and must not change them. */
export interface Visibility {
  /** In order of their names, then of their IDs. */
  projects: readonly VisibleProject[]
  /** The IDs of projects that the user was a member of when they were deleted, for the events about that. */
  deletedIds: readonly string[]
}

export interface Member {
  /** Null stands for all users of the instance. */
  user: Pick<User, 'id' | 'email' | 'name'> | null
  role: ProjectRole
}

/** The number of members that a project can have. */
export const MAX_MEMBERS = 1_000

/**
 * The members of projects. A user who creates a project becomes its manager. When the owner of a project is no longer a manager, the
 * earliest other manager becomes its owner.
 */
export interface Members {
  /** Returns the projects that a user may see. Answers from memory while no member, project or user changes. */
  visibleTo(userId: string): Promise<Visibility>
  /** Returns a number that grows whenever `visibleTo` may answer differently than before, because of this process or another one. */
  version(): number | Promise<number>
  /** Earliest first. */
  list(projectId: string): Promise<Member[]>
  /**
   * Adds a member or changes their role; `userId` is null for all users. Returns whether the member is new. Throws `project_not_found`,
   * `last_manager` and `too_many_members`.
   */
  set(projectId: string, userId: string | null, role: ProjectRole): Promise<{ isNew: boolean }>
  /**
   * Gives a project without a manager to one of its members, or to its owner: that user becomes its manager and owner. `none`: there is no such
   * project without a manager.
   */
  takeOver(projectId: string, userId: string): Promise<'done' | 'none' | 'not_a_member'>
  /** Returns false when there is no such member. Throws `last_manager`. */
  remove(projectId: string, userId: string | null): Promise<boolean>
}
