import { LONG_TITLE } from '../index/segments/document-names.ts'
import type { FilteredSegment } from './filter-segments.ts'
import type { Candidate } from './fuse.ts'

/** As many documents may share a title, such as two versions of a contract, before it counts less. */
const FEW = 2
/** Counting stops here. */
const MANY = 20
const LONG_TITLE_TRUST = FEW / MANY

/** Knows how far titles can be trusted to say what their documents are about. */
export class Titles {
  readonly #segments: readonly FilteredSegment[]
  readonly #trust = new Map<string, number>()

  constructor(segments: readonly FilteredSegment[]) {
    this.#segments = segments
  }

  /**
   * Returns how much the title of a passage's document counts, 0 to 1: less, the more documents of its project share it. A title that is longer
   * than a line counts little. No other project changes this.
   */
  trust({ passage: { segment: number, documentNumber } }: Pick<Candidate, 'passage'>): number {
    const { reader, projectId } = this.#segments[number]!
    const key = reader.segment.sections.titleKeys[documentNumber]!
    if (key === LONG_TITLE) return LONG_TITLE_TRUST
    const id = `${projectId} ${key}`
    let trust = this.#trust.get(id)
    if (trust === undefined) this.#trust.set(id, (trust = Math.min(1, FEW / this.#countTitled(projectId, key))))
    return trust
  }

  /** Returns how many documents of a project have a title, at most `MANY`. */
  #countTitled(projectId: string, key: number): number {
    let count = 0
    for (const { reader, projectId: of } of this.#segments) {
      if (of !== projectId) continue
      for (const document of reader.segment.documentsTitled(key)) {
        // The passages of a document are deleted together.
        if (!reader.deletions.has(reader.segment.passagesOf(document).start)) count++
        if (count === MANY) return MANY
      }
    }
    return Math.max(1, count)
  }
}
