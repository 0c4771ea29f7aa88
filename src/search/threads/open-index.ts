import type { SearchFilter } from '../../core/search-filter.ts'
import { lowerBound } from '../../index/segments/lower-bound.ts'
import { type OpenSegment, openSegment } from '../../index/segments/open-segment.ts'
import { asKnown, type ProjectSegments, type SharedSegment } from '../../index/segments/store/project-segments.ts'
import type { SearchedProject } from '../find-request.ts'

/** The segments of an index in a search thread. The first search that needs a segment opens it. */
export class OpenIndex {
  readonly #owners = new Map<string, OwnProjects>()

  /** Replaces changed projects. A project without segments no longer exists, unless it is incomplete. */
  change(projects: readonly ProjectSegments[]): void {
    for (const project of projects) {
      const own = this.#owners.get(project.ownerId) ?? new OwnProjects()
      own.change(project)
      if (own.isEmpty) this.#owners.delete(project.ownerId)
      else this.#owners.set(project.ownerId, own)
    }
  }

  /**
   * Returns the owner's projects that a filter names, or all projects of the owner. Never returns projects of other owners. For all projects,
   * returns the same array until one of them changes.
   */
  projectsOf({ ownerId, projectIds }: Pick<SearchFilter, 'ownerId' | 'projectIds'>): readonly SearchedProject[] {
    const own = this.#owners.get(ownerId)?.inOrder() ?? []
    if (projectIds === undefined) return own
    const wanted = new Set(projectIds)
    return own.filter(({ id }) => wanted.has(id))
  }
}

/** The projects of an owner. */
class OwnProjects {
  /** In the order of their IDs, which does not depend on when they changed. */
  #inOrder: OpenProject[] = []
  /** True when a search may have the array. A change then needs a copy. */
  #isHandedOut = false

  get isEmpty(): boolean {
    return this.#inOrder.length === 0
  }

  change(project: ProjectSegments): void {
    const { projectId: id, segments, isIncomplete } = project
    if (this.#isHandedOut) {
      this.#inOrder = [...this.#inOrder]
      this.#isHandedOut = false
    }
    const place = lowerBound(this.#inOrder.length, (at) => this.#inOrder[at]!.id >= id)
    const known = this.#inOrder[place]?.id === id ? this.#inOrder[place] : undefined
    const changed = segments.length > 0 || isIncomplete ? [new OpenProject(project, known)] : []
    this.#inOrder.splice(place, known === undefined ? 0 : 1, ...changed)
  }

  /** Returns the same array until a project changes. */
  inOrder(): readonly OpenProject[] {
    this.#isHandedOut = true
    return this.#inOrder
  }
}

class OpenProject implements SearchedProject {
  readonly id: string
  readonly isIncomplete: boolean
  readonly #shared: readonly SharedSegment[]
  #segments: readonly OpenSegment[] | null = null

  constructor({ projectId, segments, isIncomplete }: ProjectSegments, before: OpenProject | undefined) {
    this.id = projectId
    this.isIncomplete = isIncomplete
    const known = new Map(before === undefined ? [] : before.#shared.map((segment) => [segment.name, segment]))
    this.#shared = segments.map((segment) => asKnown(segment, known.get(segment.name)))
  }

  get segments(): readonly OpenSegment[] {
    return (this.#segments ??= this.#shared.map(openSegment))
  }
}
