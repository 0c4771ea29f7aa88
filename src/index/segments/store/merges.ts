import { pauseAfter } from '../../../core/background-task.ts'
import type { Logger } from '../../../core/logger.ts'
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

/** The sizes that decide whether a segment is merged. */
export interface SegmentSize {
  passages: number
  deleted: number
}

interface MergePolicy {
  /** A merge joins this many segments of about the same size. */
  segmentsPerTier: number
  /** Smaller segments count as this size, so that single documents don't fill one tier after another. */
  minPassages: number
  /** Segments are not merged into one with more passages than this. */
  maxPassages: number
  /** A segment with a larger share of deleted passages is rewritten, even if it is not merged with others. */
  maxDeletedShare: number
}

export const MERGE_POLICY: MergePolicy = { segmentsPerTier: 8, minPassages: 64, maxPassages: 2_000_000, maxDeletedShare: 0.2 }

/**
 * Returns the groups of segments to merge now, as indexes into the list, smallest segments first. A tier holds segments whose sizes, without
 * deleted passages, differ by less than the factor `segmentsPerTier`. A full tier is merged. So each tier writes a passage once more, and a
 * project has at most `segmentsPerTier - 1` segments in each tier.
 */
export function planMerges(segments: readonly SegmentSize[], policy: MergePolicy = MERGE_POLICY): number[][] {
  const live = segments.map(({ passages, deleted }) => passages - deleted)
  const bySize = [...segments.keys()].sort((a, b) => live[a]! - live[b]! || a - b)
  const tiers = Map.groupBy(bySize, (segment) => tierOf(live[segment]!, policy))
  const groups: number[][] = []
  for (const tier of tiers.values()) {
    for (let from = 0; from < tier.length;) {
      let end = from
      for (let sum = 0; end < tier.length && end - from < policy.segmentsPerTier; end++) {
        sum += live[tier[end]!]!
        if (sum > policy.maxPassages) break
      }
      if (end - from === policy.segmentsPerTier) groups.push(tier.slice(from, end))
      from = Math.max(end, from + 1)
    }
  }
  const merged = new Set(groups.flat())
  for (const segment of bySize) {
    const { passages, deleted } = segments[segment]!
    if (!merged.has(segment) && deleted > passages * policy.maxDeletedShare) groups.push([segment])
  }
  return groups
}

function tierOf(passages: number, { minPassages, segmentsPerTier }: MergePolicy): number {
  return Math.floor(Math.log(Math.max(passages, minPassages) / minPassages) / Math.log(segmentsPerTier) + 1e-9)
}
