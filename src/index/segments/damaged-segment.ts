import { DocsearchError } from '../../core/errors.ts'

/** Thrown when a page of a segment's file, read from disk, is damaged. */
export class DamagedSegment extends DocsearchError {
  /** The name of the segment. */
  readonly segment: string

  constructor(segment: string, cause?: unknown) {
    super('index_corrupt', 'A file of the search index is damaged. It must be rebuilt from the documents.', { cause })
    this.segment = segment
  }
}
