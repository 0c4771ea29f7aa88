import type { Project, ProjectCounts } from '../core/model.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

export type ProjectWithCounts = Project & { counts: ProjectCounts }

/** The projects that a method may see, by their ids. */
export type ProjectIds = ReadonlySet<string>

export interface Projects {
  /** Creates a project with its owner as its manager. Throws `project_exists` when the owner has a project of that name. */
  create(project: { ownerId: string; name: string; description: string }): Promise<ProjectWithCounts>
  get(id: string): Promise<ProjectWithCounts | null>
  /** In order of their names, then of their ids. */
  list(projects: ProjectIds, page: ListRequest): Promise<ResultPage<ProjectWithCounts>>
  /** Returns null when there is no such project. Throws `project_exists` when its owner has another project of that name. */
  update(id: string, change: { name?: string; description?: string }): Promise<ProjectWithCounts | null>
  /**
   * Deletes a project with its documents; each document leaves a tombstone and an event. Returns the ids of the documents, or
   * null when there is no such project.
   */
  delete(id: string): Promise<{ documentIds: string[] } | null>
}
