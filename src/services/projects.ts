import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import { isProjectId } from '../core/ids.ts'
import { PRIVATE_PROJECT, type Project, type ProjectRole, type User, type VisibleProject } from '../core/model.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { ListRequest, ProjectContents, ProjectWithCounts, Records, ResultPage } from '../records/records.ts'
import { type Access, type Actor, requireAdministrator } from './access.ts'
import { memberNotFound } from './members.ts'
import { findUser } from './users.ts'
import { notFound, type VisibleProjects } from './visible-projects.ts'

/** A project as a member sees it. */
export interface OwnProject extends ProjectWithCounts {
  /** What the actor may do there. */
  role: ProjectRole
  ownerName: string
  /** The number of documents in the trash, for writers. Only `get` counts them. */
  trashed?: number
}

/**
 * The projects that the actor is a member of. A project is named by id or by name. Every function throws `insufficient_scope`,
 * `project_not_found` and `ambiguous_name`. Functions that change a project need a manager and throw `insufficient_role`. Functions that
 * create a project throw `limited_to_projects`.
 */
export interface Projects {
  /** Returns the projects in which the actor has this role, or all. */
  list(actor: Actor, request: ListRequest & { role?: ProjectRole | undefined }): Promise<ResultPage<OwnProject>>
  /** Throws `project_exists`. */
  create(actor: Actor, project: { name: string; description: string }): Promise<OwnProject>
  get(actor: Actor, idOrName: string): Promise<OwnProject>
  /** Returns the first folders of the documents' paths, at most `maxFolders`, when a document last changed, and the size of the trash. */
  contents(actor: Actor, idOrName: string, maxFolders: number): Promise<ProjectContents>
  /** Throws `project_exists`. */
  update(
    actor: Actor,
    idOrName: string,
    change: { name?: string | undefined; description?: string | undefined },
  ): Promise<OwnProject>
  /** Deletes the project with its documents. */
  delete(actor: Actor, idOrName: string): Promise<{ id: string; name: string; documentsDeleted: number }>
  /** Returns the project for an upload, in which the actor may write; null when the upload would make it. A missing id throws. */
  findForUpload(actor: Actor, idOrName: string): Promise<VisibleProject | null>
  /**
   * Returns the project for an upload, in which the actor may write. Creates it if no project has that name. A missing id throws.
   */
  findOrCreate(actor: Actor, idOrName: string): Promise<VisibleProject>
}

export function createProjects({
  records,
  ingest,
  access,
}: {
  records: Pick<Records, 'projects' | 'members'>
  ingest: Pick<Ingest, 'deleteProject'>
  access: Access
}): Projects {
  const { projects, members } = records

  /** Creates a project. The actor manages it, and sees it from now on. */
  async function create(actor: Actor, { name, description }: { name: string; description: string }): Promise<OwnProject> {
    await access.toCreateProject(actor)
    const project = await projects.create({ ownerId: actor.userId, name, description })
    return present(project, await access.toWrite(actor))[0] ?? notFound(name)
  }

  async function findForUpload(actor: Actor, idOrName: string): Promise<VisibleProject | null> {
    const visible = await access.toWrite(actor)
    const found = visible.find(idOrName)
    if (found !== null) return visible.requireRole(found.id, 'writer')
    if (isProjectId(idOrName)) notFound(idOrName)
    await access.toCreateProject(actor)
    return null
  }

  return {
    async list(actor, { role, ...request }) {
      const visible = await access.toRead(actor)
      const { items, nextCursor } = await projects.list(role === undefined ? visible.ids : visible.withRole(role), request)
      return { items: items.flatMap((project) => present(project, visible)), nextCursor }
    },

    create,

    async get(actor, idOrName) {
      const visible = await access.toRead(actor)
      const project = await projects.get(visible.require(idOrName).id)
      const own = (project && present(project, visible)[0]) ?? notFound(idOrName)
      return own.role === 'reader' ? own : { ...own, trashed: (await projects.contents(own.id, 0)).trashed }
    },

    async contents(actor, idOrName, maxFolders) {
      return projects.contents((await access.toRead(actor)).require(idOrName).id, maxFolders)
    },

    async update(actor, idOrName, { name, description }) {
      const visible = await access.toWrite(actor)
      const { id } = visible.requireRole(idOrName, 'manager')
      if (name === PRIVATE_PROJECT && (await members.list(id)).length > 1) throw isShared()
      const change = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
      const project = await projects.update(id, change, visible.ids)
      return (project && present(project, visible)[0]) ?? notFound(idOrName)
    },

    async delete(actor, idOrName) {
      const { id, name } = (await access.toWrite(actor)).requireRole(idOrName, 'manager')
      const documentsDeleted = (await ingest.deleteProject(id)) ?? notFound(idOrName)
      return { id, name, documentsDeleted }
    },

    findForUpload,

    async findOrCreate(actor, idOrName) {
      const found = await findForUpload(actor, idOrName)
      if (found !== null) return found
      try {
        return await create(actor, { name: idOrName, description: '' })
      } catch (error) {
        // Another upload made it in the meantime.
        if (isDocsearchError(error, 'project_exists')) return (await findForUpload(actor, idOrName)) ?? notFound(idOrName)
        throw error
      }
    },
  }
}

/** Returns the project with what the actor may see of it. */
function present(project: ProjectWithCounts, visible: VisibleProjects): OwnProject[] {
  const seen = visible.get(project.id)
  return seen === null ? [] : [{ ...project, role: seen.role, ownerName: seen.ownerName }]
}

function isShared(): DocsearchError {
  return new DocsearchError(
    'project_is_private',
    `A project with the name "${PRIVATE_PROJECT}" is private, and this project has other members. Choose another name, or remove the other members first.`,
  )
}

/**
 * Projects that have members but no manager, because their only manager was deleted. The owner of the instance sees nothing of them but
 * their names. Every function throws `insufficient_scope`, `owner_only` and `limited_to_projects`.
 */
export interface UnmanagedProjects {
  list(actor: Actor, request: ListRequest): Promise<ResultPage<Pick<Project, 'id' | 'name'>>>
  /** Throws `project_not_found`, also for a project with a manager. */
  get(actor: Actor, id: string): Promise<Pick<Project, 'id' | 'name'>>
  /**
   * Makes a member the manager of the project, or by default the actor, who sees its documents from then on. A member is named by ID or email.
   * Throws `project_not_found`, `user_not_found` and `member_not_found`.
   */
  takeOver(actor: Actor, id: string, member?: string): Promise<User>
}

export function createUnmanagedProjects({
  records,
}: {
  records: Pick<Records, 'projects' | 'members' | 'users'>
}): UnmanagedProjects {
  return {
    async list(actor, request) {
      requireAdministrator(actor)
      return records.projects.listUnmanaged(request)
    },

    async get(actor, id) {
      requireAdministrator(actor)
      const project = await records.projects.getUnmanaged(id)
      if (project === null) throw noSuchProject(id)
      return project
    },

    async takeOver(actor, id, member) {
      requireAdministrator(actor)
      const user = await findUser(records.users, member ?? actor.userId)
      const outcome = await records.members.takeOver(id, user.id)
      if (outcome === 'none') throw noSuchProject(id)
      if (outcome === 'not_a_member') throw memberNotFound(member ?? user.id)
      return user
    },
  }
}

function noSuchProject(id: string): DocsearchError {
  return new DocsearchError(
    'project_not_found',
    `There is no project without a manager with the ID ${JSON.stringify(id.slice(0, 200))}.`,
  )
}
