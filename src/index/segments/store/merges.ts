import type { Logger } from '../../../core/logger.ts'
import { planMerges } from '../merge-policy.ts'
import type { ProjectSegments, SharedSegment } from './project-segments.ts'

export interface MergesOptions {
  segmentsOf: (projectId: string) => ProjectSegments | undefined
  /** Replaces these segments with one. */
  merge: (project: ProjectSegments, sources: readonly SharedSegment[]) => Promise<void>
  log: Logger
}

/** Merges the segments of changed projects, one merge after another. A merge that failed is tried again after the next change of its project. */
export class Merges {
  readonly #due = new Set<string>()
  #running: Promise<void> | null = null
  #isStopped = false
  readonly #options: MergesOptions

  constructor(options: MergesOptions) {
    this.#options = options
  }

  changed(projectId: string): void {
    this.#due.add(projectId)
    if (!this.#isStopped) this.#running ??= this.#run()
  }

  /** Resolves when no merge is due. */
  async idle(): Promise<void> {
    await this.#running
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    for (const projectId of this.#due) {
      if (this.#isStopped) break
      this.#due.delete(projectId)
      try {
        await this.#mergeOne(projectId)
      } catch (error) {
        if (!this.#isStopped) this.#options.log.warn({ err: error, project: projectId }, 'segments could not be merged')
      }
    }
    this.#running = null
  }

  /** Merges one group of segments. This changes the project, which makes the next group due. */
  async #mergeOne(projectId: string): Promise<void> {
    const project = this.#options.segmentsOf(projectId)
    const [group] = planMerges(project?.segments ?? [])
    if (project === undefined || group === undefined) return
    await this.#options.merge(
      project,
      group.map((place) => project.segments[place]!),
    )
  }
}
