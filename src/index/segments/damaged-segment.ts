import { DocsearchError } from '../../core/errors.ts'

/** Damage in a page of a segment's file that was read from disk. */
export class DamagedSegment extends DocsearchError {
  /** The name of the segment. */
  readonly segment: string

  constructor(segment: string, cause?: unknown) {
    super('index_corrupt', 'A file of the search index is damaged. It must be rebuilt from the documents.', { cause })
    this.segment = segment
  }
}
