import { LruCache } from '../../core/lru-cache.ts'
import { type OpenSegment, openSegment } from '../../index/segments/segment-reader.ts'
import { asKnown, type ProjectSegments, type SharedSegment } from '../../index/segments/store/project-segments.ts'
import type { SearchedProject } from '../find-request.ts'

/** Sets of projects to remember. Users search the same projects again and again. */
const MAX_SETS = 100

/** The segments of an index in a search thread. The first search that needs a segment opens it. */
export class OpenIndex {
  readonly #projects = new Map<string, OpenProject>()
  /** The projects of earlier searches, by their IDs. Empty after each change. */
  readonly #sets = new LruCache<readonly SearchedProject[]>(MAX_SETS)

  /** Replaces changed projects. A project without segments no longer exists, unless it is incomplete. */
  change(projects: readonly ProjectSegments[]): void {
    for (const project of projects) {
      const { projectId, segments, isIncomplete } = project
      if (segments.length > 0 || isIncomplete)
        this.#projects.set(projectId, new OpenProject(project, this.#projects.get(projectId)))
      else this.#projects.delete(projectId)
    }
    this.#sets.clear()
  }

  /** Returns the projects with these IDs, in their order. Returns the same array for the same IDs until a project changes. */
  projectsOf(ids: readonly string[]): readonly SearchedProject[] {
    const key = ids.join(' ')
    let found = this.#sets.get(key)
    if (found === undefined) {
      found = ids.flatMap((id) => this.#projects.get(id) ?? [])
      this.#sets.set(key, found)
    }
    return found
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
