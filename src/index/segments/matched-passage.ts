import type { Segment } from './segment.ts'

/**
 * A passage that a search has found. Its properties read the segment's columns only when they are used, because a search compares hundreds
 * of passages and shows only a few.
 */
export class MatchedPassage {
  /** The index of its segment among the searched segments. */
  readonly segment: number
  /** Its number in the segment. */
  readonly number: number
  readonly source: Segment

  constructor(segment: number, number: number, source: Segment) {
    this.segment = segment
    this.number = number
    this.source = source
  }

  /** Equal for the same passage within one search. */
  get key(): number {
    return this.segment * 2 ** 32 + this.number
  }

  /** Equal for the passages of one version of a document within one search. */
  get documentKey(): number {
    return this.segment * 2 ** 32 + this.documentNumber
  }

  /** Equal for passages with the same text: 53 bits of the text's hash. */
  get textKey(): number {
    const { textHashes } = this.source.sections
    return textHashes[2 * this.number]! * 2 ** 21 + (textHashes[2 * this.number + 1]! >>> 11)
  }

  get documentNumber(): number {
    return this.source.sections.passageDocuments[this.number]!
  }

  get documentId(): string {
    return this.source.documentId(this.documentNumber)
  }

  get id(): string {
    return `${this.documentId}:${this.source.versionOf(this.documentNumber)}:${this.index}`
  }

  /** The row ID of its texts in the table of passages. */
  get row(): bigint {
    return this.source.sections.rows[this.number]!
  }

  /** See `IndexedPassage`. */
  get language(): number {
    return this.source.sections.languages[this.number]!
  }

  /** Its index within the document, from 0. */
  get index(): number {
    return this.source.sections.passageIndexes[this.number]!
  }

  get pageStart(): number {
    return this.source.sections.passagePages[2 * this.number]!
  }

  get pageEnd(): number {
    return this.source.sections.passagePages[2 * this.number + 1]!
  }
}
