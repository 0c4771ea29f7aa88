import type { VisibleProject } from '../core/model.ts'

/** What a user may see. Callers share these objects and must not change them. */
export interface Visibility {
  /** In order of their names, then of their IDs. */
  projects: readonly VisibleProject[]
  /** The IDs of projects that the user was a member of when they were deleted, for the events about that. */
  deletedIds: readonly string[]
}

/** The members of projects. A user who creates a project becomes its manager. */
export interface Members {
  /** Returns the projects that a user may see. Answers from memory while no member, project or user changes. */
  visibleTo(userId: string): Promise<Visibility>
  /** Returns a number that grows whenever `visibleTo` may answer differently than before, because of this process or another one. */
  version(): number
}
