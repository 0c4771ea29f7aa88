import { DocsearchError } from '../core/errors.ts'
import { isIdSuffix } from '../core/ids.ts'
import { PROJECT_ROLES, type ProjectLimit, type ProjectRole, type VisibleProject } from '../core/model.ts'
import { insufficientRole } from '../records/errors.ts'
import type { Visibility } from '../records/records.ts'

export { insufficientRole }

/** The projects that an actor may see. Everything else does not exist for the actor. */
export class VisibleProjects {
  static readonly #known = new WeakMap<Visibility, VisibleProjects>()
  /** In order. */
  readonly ids: ReadonlySet<string>
  /** The same, and projects that were deleted: their members hear of it. */
  readonly heardIds: ReadonlySet<string>
  readonly #byId: ReadonlyMap<string, VisibleProject>
  readonly #visibility: Visibility
  readonly #byName: ReadonlyMap<string, readonly VisibleProject[]>

  private constructor(visibility: Visibility) {
    const { projects, deletedIds } = visibility
    this.#visibility = visibility
    const byId = projects.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    this.#byId = new Map(byId.map((project) => [project.id, project]))
    this.#byName = Map.groupBy(projects, ({ name }) => name)
    this.ids = new Set(this.#byId.keys())
    this.heardIds = deletedIds.length === 0 ? this.ids : new Set([...this.ids, ...deletedIds])
  }

  /** Returns the same object for the same visibility, because searches of 1,000 projects would spend time on making it. */
  static of(visibility: Visibility): VisibleProjects {
    let visible = this.#known.get(visibility)
    if (visible === undefined) this.#known.set(visibility, (visible = new VisibleProjects(visibility)))
    return visible
  }

  /** Returns those of the projects that a credential is limited to. Null stands for no limit. */
  limitedTo(limit: ReadonlySet<string> | null): VisibleProjects {
    if (limit === null) return this
    const { projects, deletedIds } = this.#visibility
    return new VisibleProjects({
      projects: projects.filter(({ id }) => limit.has(id)),
      deletedIds: deletedIds.filter((id) => limit.has(id)),
    })
  }

  /** Returns the visible projects of a limit, in order of their names. Null stands for no limit. */
  named(limit: ProjectLimit): Pick<VisibleProject, 'id' | 'name'>[] | null {
    if (limit === null) return null
    const ids = new Set(limit)
    return this.#visibility.projects.flatMap(({ id, name }) => (ids.has(id) ? [{ id, name }] : []))
  }

  get(id: string): VisibleProject | null {
    return this.#byId.get(id) ?? null
  }

  /**
   * Finds a project by its id, its name or the end of its id, in this order. Throws `ambiguous_name` when several projects have the name
   * or an id with this end.
   */
  find(idOrName: string): VisibleProject | null {
    const byId = this.get(idOrName)
    if (byId !== null) return byId
    const matches = this.#byName.get(idOrName) ?? this.#endingWith(idOrName)
    if (matches.length > 1) throw ambiguousName(idOrName, matches)
    return matches[0] ?? null
  }

  #endingWith(suffix: string): readonly VisibleProject[] {
    if (!isIdSuffix(suffix)) return []
    return [...this.#byId.values()].filter(({ id }) => id.endsWith(suffix))
  }

  /** Like `find`. Throws `project_not_found` where `find` returns null. */
  require(idOrName: string): VisibleProject {
    return this.find(idOrName) ?? notFound(idOrName)
  }

  /** Finds a project in which the actor has at least this role. Throws `insufficient_role`, `project_not_found` and `ambiguous_name`. */
  requireRole(idOrName: string, role: ProjectRole): VisibleProject {
    const project = this.require(idOrName)
    if (!hasRole(project, role)) throw insufficientRole(role)
    return project
  }

  /** Returns the projects in which the actor has exactly this role. */
  withRole(role: ProjectRole): ReadonlySet<string> {
    return new Set([...this.#byId.values()].flatMap((project) => (project.role === role ? [project.id] : [])))
  }

  /** Returns the projects in which the actor has this role or a higher one. */
  withRoleOrMore(role: ProjectRole): ReadonlySet<string> {
    return new Set([...this.#byId.values()].flatMap((project) => (hasRole(project, role) ? [project.id] : [])))
  }

  /** Returns the name of a project, or its id when several visible projects have the name: with either, the project can be found again. */
  unambiguousName(id: string): string | null {
    const name = this.get(id)?.name
    if (name === undefined) return null
    return this.#byName.get(name)!.length > 1 ? id : name
  }
}

function hasRole(project: VisibleProject, role: ProjectRole): boolean {
  return PROJECT_ROLES.indexOf(project.role) >= PROJECT_ROLES.indexOf(role)
}

export function notFound(idOrName: string): never {
  throw new DocsearchError('project_not_found', `You have no project ${JSON.stringify(idOrName.slice(0, 200))}.`)
}

/** An error names at most this many candidates. */
const MAX_CANDIDATES = 20

function ambiguousName(name: string, projects: readonly VisibleProject[]): DocsearchError {
  const candidates = projects.slice(0, MAX_CANDIDATES).map(({ id, ownerName }) => ({ id, owner: ownerName }))
  const list = candidates.map(({ id, owner }) => `${id} (owner: ${owner})`).join(', ')
  return new DocsearchError(
    'ambiguous_name',
    `You have ${projects.length} projects that match ${JSON.stringify(name)}: ${list}. Use the ID of the one you mean.`,
    { details: { candidates } },
  )
}
