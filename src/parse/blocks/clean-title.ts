import { MAX_TITLE_CHARS, shorten } from '../../core/text-limits.ts'
import { collapse } from './page-builder.ts'

/** Returns a title as one line of clean text with at most `MAX_TITLE_CHARS`; null for a blank title. */
export function cleanTitle(text: string | null): string | null {
  return shorten(collapse(text ?? '').replace(/\s+/g, ' '), MAX_TITLE_CHARS) || null
}
