import { pauseAfter } from '../../../core/background-task.ts'
import type { Logger } from '../../../core/logger.ts'
import { planMerges } from '../merge-policy.ts'
import type { ProjectSegments, SharedSegment } from './project-segments.ts'

export interface MergesOptions {
  segmentsOf: (projectId: string) => ProjectSegments | undefined
  /** Replaces these segments with one. */
  merge: (project: ProjectSegments, sources: readonly SharedSegment[]) => Promise<void>
  log: Logger
}

/** A project whose last merge failed. */
interface Failed {
  failures: number
  /** Makes the project due after a pause. */
  timer: NodeJS.Timeout
}

/** Merges the segments of changed projects, one merge after another. Repeats a failed merge after growing pauses. */
export class Merges {
  readonly #due = new Set<string>()
  readonly #failed = new Map<string, Failed>()
  #running: Promise<void> | null = null
  #isStopped = false
  readonly #options: MergesOptions

  constructor(options: MergesOptions) {
    this.#options = options
  }

  /** Makes a project due. Ignores a project that waits after a failed merge, so that frequent changes don't repeat the failure. */
  changed(projectId: string): void {
    if (this.#failed.has(projectId)) return
    this.#add(projectId)
  }

  /** Resolves when no merge is due. Does not wait for merges that have failed and wait for the next attempt. */
  async idle(): Promise<void> {
    await this.#running
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const { timer } of this.#failed.values()) clearTimeout(timer)
    await this.#running
  }

  #add(projectId: string): void {
    this.#due.add(projectId)
    if (!this.#isStopped) this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    for (const projectId of this.#due) {
      if (this.#isStopped) break
      this.#due.delete(projectId)
      try {
        await this.#mergeOne(projectId)
        // The merge has changed the project, so another group may be due.
        if (this.#failed.delete(projectId)) this.#due.add(projectId)
      } catch (error) {
        // The files of a project may go while they are merged.
        const isGone = this.#options.segmentsOf(projectId) === undefined
        if (!this.#isStopped && !isGone) this.#retryLater(projectId, error)
        else this.#failed.delete(projectId)
      }
    }
    this.#running = null
  }

  #retryLater(projectId: string, error: unknown): void {
    const failures = (this.#failed.get(projectId)?.failures ?? 0) + 1
    const timer = setTimeout(() => this.#add(projectId), pauseAfter(failures))
    timer.unref()
    this.#failed.set(projectId, { failures, timer })
    this.#options.log.warn({ err: error, project: projectId }, 'segments could not be merged; trying again later')
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
