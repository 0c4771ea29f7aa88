import { DocsearchError } from '../core/errors.ts'
import type { DocumentWarning } from '../core/model.ts'
import type { SkippedAttachment } from '../core/parsed.ts'

/** Messages within messages are documents down to this depth. */
export const MAX_ATTACHMENT_DEPTH = 5
/** The documents that one upload can become, in addition to itself. */
export const MAX_ATTACHMENTS = 1_000

/** An attachment whose original is stored already. */
export interface NewAttachment {
  name: string
  /** The page of the message in its document. */
  page: number
  mediaType: string
  sizeBytes: number
  sha256: string
}

/** Attachments that nobody expects to find by their text. They are listed with the message and cause no warning. */
const WITHOUT_TEXT = new Set(['unsupported_type', 'empty_file'])
const MAX_NAMED = 5
/** Every answer about a document has these. */
const MAX_LISTED = 100

const REASONS: Record<string, string> = {
  encrypted: 'needs a password',
  too_large: 'is larger than the limit',
  quota_exceeded: 'exceeds a quota',
  too_many_attachments: `is over the limit of ${MAX_ATTACHMENTS} attachments`,
  too_deep: `is in more than ${MAX_ATTACHMENT_DEPTH} messages within each other`,
}

/**
 * Returns what a message says about attachments that did not become documents. `unlisted` counts the attachments that are not listed
 * here.
 */
export function describeSkipped(
  skipped: readonly SkippedAttachment[],
  unlisted = 0,
): { facts: Record<string, unknown>; warnings: DocumentWarning[] } {
  if (skipped.length === 0) return { facts: {}, warnings: [] }
  const facts = { attachments_skipped: skipped.slice(0, MAX_LISTED), attachments_skipped_count: skipped.length + unlisted }
  return { facts, warnings: warningsOf(skipped, unlisted) }
}

/** Returns the warning about attachments that a search cannot find; none if they have no text. */
function warningsOf(skipped: readonly SkippedAttachment[], unlisted: number): DocumentWarning[] {
  const missed = skipped.filter(({ code }) => !WITHOUT_TEXT.has(code))
  const [first] = missed
  if (first === undefined) return []
  const named = missed.slice(0, MAX_NAMED).map(({ name, code }) => `${name} (${REASONS[code] ?? code})`)
  const others = missed.length - named.length + unlisted
  const more = others > 0 ? ` and ${others} more` : ''
  const message = `Not searchable: ${named.join(', ')}${more}. Upload these attachments as files of their own, or reprocess the message.`
  return [{ code: 'attachments_skipped', message, page: first.page }]
}

/** Throws for an upload to the path of an attachment, and for a change that only its message can have. */
export function isAttachment(): DocsearchError {
  return new DocsearchError(
    'is_attachment',
    'This document is an attachment of a message. It follows its message: move, tag, delete or replace the message instead.',
  )
}
