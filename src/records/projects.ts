import type { Project, ProjectCounts } from '../core/model.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

export type ProjectWithCounts = Project & { counts: ProjectCounts }

export interface Projects {
  /** Throws `project_exists` when the owner has a project of that name. */
  create(project: { ownerId: string; name: string; description: string }): Promise<ProjectWithCounts>
  /** Finds a project of the owner by its id or its name. When both match different projects, the id wins. */
  find(ownerId: string, idOrName: string): Promise<ProjectWithCounts | null>
  /** Like `find`, without counting the project's documents. */
  findId(ownerId: string, idOrName: string): Promise<string | null>
  /** Returns the names of the owner's projects with these ids, by id. Ids of other projects are missing from the map. */
  names(ownerId: string, ids: readonly string[]): Promise<Map<string, string>>
  /** In order of their names. */
  list(ownerId: string, page: ListRequest): Promise<ResultPage<ProjectWithCounts>>
  /** Returns null when the owner has no such project. Throws `project_exists`. */
  update(ownerId: string, id: string, change: { name?: string; description?: string }): Promise<ProjectWithCounts | null>
  /**
   * Deletes a project with its documents; each document leaves a tombstone and an event. Returns the ids of the documents, or
   * null when the owner has no such project.
   */
  delete(ownerId: string, id: string): Promise<{ documentIds: string[] } | null>
}
