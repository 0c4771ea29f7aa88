import { SEGMENT } from './format.ts'
import { type Postings, PostingsWriter } from './postings.ts'
import { writeSections } from './sections.ts'
import type { ColumnsWriter } from './segment-columns.ts'
import { TermDictionaryWriter } from './term-dictionary.ts'

/** Writes a segment from columns and terms that are already in order. `SegmentBuilder` and `mergeSegments` put them in order. */
export class SegmentWriter {
  private readonly terms = new TermDictionaryWriter()
  private readonly postings: PostingsWriter
  private readonly columns: ReturnType<ColumnsWriter['sections']>

  constructor(columns: ColumnsWriter) {
    this.columns = columns.sections()
    this.postings = new PostingsWriter(this.columns.lengths)
  }

  addTerm(term: Uint8Array, postings: Postings): void {
    this.terms.add(term, this.postings.add(postings))
  }

  finish(): Uint8Array {
    return writeSections(SEGMENT, { ...this.columns, ...this.terms.sections(), ...this.postings.sections() })
  }
}
