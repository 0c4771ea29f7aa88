import type { Project, ProjectCreate, ProjectDeleted, ProjectList, ProjectUpdate } from '../../contract/projects.ts'
import type { ListRange } from '../list-filters.ts'
import { allPages, type Calls } from './calls.ts'
import type { CallOptions } from './options.ts'

const MAX_PAGE = 100

/** The projects that the credential may see. Each method takes the ID or the name of a project. */
export class Projects {
  readonly #calls: Calls

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Yields all projects. Asks for the next result page when it is needed; `limit` is the size of a result page. */
  list(filter: ListRange & { role?: Project['role'] } = {}, options: CallOptions = {}): AsyncGenerator<Project, void, undefined> {
    return allPages(async (cursor) => {
      const { projects, next_cursor } = await this.page({ limit: MAX_PAGE, ...filter, ...(cursor && { cursor }) }, options)
      return { entries: projects, next_cursor }
    }, filter.cursor)
  }

  /** Returns one result page. Send its `next_cursor` as `cursor` to get the next one. */
  page(filter: ListRange & { role?: Project['role'] } = {}, options?: CallOptions): Promise<ProjectList> {
    return this.#calls.repeatable((client) => client.projects.list(filter), options)
  }

  get(idOrName: string, options?: CallOptions): Promise<Project> {
    return this.#calls.repeatable((client) => client.projects.get(idOrName), options)
  }

  create(project: ProjectCreate, options?: CallOptions): Promise<Project> {
    return this.#calls.once((client) => client.projects.create(project), options)
  }

  update(idOrName: string, change: ProjectUpdate, options?: CallOptions): Promise<Project> {
    return this.#calls.once((client) => client.projects.update(idOrName, change), options)
  }

  /** Deletes a project with its documents. */
  delete(idOrName: string, options?: CallOptions): Promise<ProjectDeleted> {
    return this.#calls.once((client) => client.projects.delete(idOrName), options)
  }
}
