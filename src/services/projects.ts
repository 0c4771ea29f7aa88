import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import { isProjectId } from '../core/ids.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { ListRequest, ResultPage, ProjectWithCounts, Records } from '../records/records.ts'
import { requireReader, requireWriter, type Actor } from './access.ts'

export type { ProjectWithCounts } from '../records/records.ts'

/** The projects of the actor. A project is named by id or by name. Every function throws `insufficient_scope` and `project_not_found`. */
export interface Projects {
  list(actor: Actor, request: ListRequest): Promise<ResultPage<ProjectWithCounts>>
  /** Throws `project_exists`. */
  create(actor: Actor, project: { name: string; description: string }): Promise<ProjectWithCounts>
  get(actor: Actor, idOrName: string): Promise<ProjectWithCounts>
  /** Throws `project_exists`. */
  update(
    actor: Actor,
    idOrName: string,
    change: { name?: string | undefined; description?: string | undefined },
  ): Promise<ProjectWithCounts>
  /** Deletes the project with its documents. */
  delete(actor: Actor, idOrName: string): Promise<{ id: string; name: string; documentsDeleted: number }>
  /** Returns the id of a project. Doesn't count its documents. Requires no scope, so callers check first what the actor may do. */
  findId(actor: Actor, idOrName: string): Promise<string>
  /** Returns the ids of these projects, for a search or a list of documents. Doesn't count their documents. */
  findIds(actor: Actor, idsOrNames: readonly string[]): Promise<string[]>
  /** Returns the id of the project for an upload; null when the upload would make it. A missing id throws. */
  findForUpload(actor: Actor, idOrName: string): Promise<string | null>
  /** Returns the id of the project for an upload and makes the project when there is none of that name. A missing id throws. */
  findOrCreate(actor: Actor, idOrName: string): Promise<string>
}

export function createProjects(options: { records: Pick<Records, 'projects'>; ingest: Pick<Ingest, 'deleteProject'> }): Projects {
  const { ingest } = options
  const { projects } = options.records

  async function find(ownerId: string, idOrName: string): Promise<ProjectWithCounts> {
    return (await projects.find(ownerId, idOrName)) ?? notFound(idOrName)
  }

  async function findId(ownerId: string, idOrName: string): Promise<string> {
    return (await projects.findId(ownerId, idOrName)) ?? notFound(idOrName)
  }

  async function findForUpload(actor: Actor, idOrName: string): Promise<string | null> {
    const found = await projects.findId(requireWriter(actor), idOrName)
    return found === null && isProjectId(idOrName) ? notFound(idOrName) : found
  }

  return {
    async list(actor, request) {
      return projects.list(requireReader(actor), request)
    },

    async create(actor, project) {
      return projects.create({ ownerId: requireWriter(actor), ...project })
    },

    async get(actor, idOrName) {
      return find(requireReader(actor), idOrName)
    },

    async update(actor, idOrName, { name, description }) {
      const ownerId = requireWriter(actor)
      const id = await findId(ownerId, idOrName)
      const change = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
      return (await projects.update(ownerId, id, change)) ?? notFound(idOrName)
    },

    async delete(actor, idOrName) {
      const ownerId = requireWriter(actor)
      const { id, name } = await find(ownerId, idOrName)
      const documentsDeleted = (await ingest.deleteProject(ownerId, id)) ?? notFound(idOrName)
      return { id, name, documentsDeleted }
    },

    findId: ({ userId }, idOrName) => findId(userId, idOrName),

    async findIds(actor, idsOrNames) {
      const ownerId = requireReader(actor)
      const ids = new Set<string>()
      for (const idOrName of new Set(idsOrNames)) ids.add(await findId(ownerId, idOrName))
      return [...ids]
    },

    findForUpload,

    async findOrCreate(actor, idOrName) {
      const ownerId = requireWriter(actor)
      const found = await findForUpload(actor, idOrName)
      if (found !== null) return found
      try {
        return (await projects.create({ ownerId, name: idOrName, description: '' })).id
      } catch (error) {
        // Another upload made it in the meantime.
        if (isDocsearchError(error, 'project_exists')) return findId(ownerId, idOrName)
        throw error
      }
    },
  }
}

function notFound(idOrName: string): never {
  throw new DocsearchError('project_not_found', `You have no project ${JSON.stringify(idOrName.slice(0, 200))}.`)
}
