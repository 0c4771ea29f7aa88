import type { Project, ProjectCounts, ProjectRole, User, VisibleProject } from '../core/model.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

export type ProjectWithCounts = Project & { counts: ProjectCounts }

/** A folder that paths start with, such as `notes/`. The empty folder stands for documents outside of folders. */
export interface Folder {
  folder: string
  /** The number of documents in it, also in the folders in it. */
  documents: number
}

/** What a project contains, besides the counts. */
export interface ProjectContents {
  /** In order of their names. */
  folders: Folder[]
  /** When a document of the project last changed or went to the trash; null when there is none. */
  lastChangedAt: Date | null
  /** The number of documents in the trash. */
  trashed: number
}

/** The projects that a method may see, by their ids. */
export type ProjectIds = ReadonlySet<string>

export interface Projects {
  /** Creates a project with its owner as its manager. Throws `project_exists` when the owner has a project of that name. */
  create(project: { ownerId: string; name: string; description: string }): Promise<ProjectWithCounts>
  get(id: string): Promise<ProjectWithCounts | null>
  /** In order of their names, then of their ids. */
  list(projects: ProjectIds, page: ListRequest): Promise<ResultPage<ProjectWithCounts>>
  /** Returns the contents of a project, with the first `maxFolders` folders. A project that does not exist is empty. */
  contents(id: string, maxFolders: number): Promise<ProjectContents>
  /** Returns the projects of a user that nobody else is a member of, in order of their names. Deleting the user deletes them. */
  privateOf(ownerId: string): Promise<ProjectWithCounts[]>
  /** Returns null if there is no such project, or if it has a manager. */
  getUnmanaged(id: string): Promise<Pick<Project, 'id' | 'name'> | null>
  /** Lists the projects without a manager, in order of their names, then of their ids. */
  listUnmanaged(page: ListRequest): Promise<ResultPage<Pick<Project, 'id' | 'name'>>>
  /**
   * Returns null when there is no such project. Throws `project_exists` when its owner has another project of that name among the
   * visible ones, which are all by default. A refusal because of any other project would reveal it.
   */
  update(id: string, change: { name?: string; description?: string }, visible?: ProjectIds): Promise<ProjectWithCounts | null>
  /**
   * Deletes a project with its documents; each document leaves a tombstone and an event. Returns the ids of the documents, or
   * null when there is no such project.
   */
  delete(id: string): Promise<{ documentIds: string[] } | null>
}

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
