import type { Project, ProjectCounts } from '../core/model.ts'
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
