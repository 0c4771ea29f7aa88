import type { ErrorCode } from '../core/errors.ts'
import type { DocumentHealth, DocumentWarning, OriginalDamage } from '../core/model.ts'
import { MAX_TITLE_CHARS, shorten } from '../core/text-limits.ts'

// Rules that every implementation of Records follows.

/** "Last used" and "last seen" are written at most this often, so that not every request writes. */
export const TOUCH_INTERVAL_MS = 60_000

/** The health of a version that was not parsed yet. */
export const NO_HEALTH: DocumentHealth = { pages: 0, pagesWithText: 0, pagesWithoutText: 0, chunksSkipped: 0 }

/** Returns a title cut to the length to store, because every list, search and passage repeats it. */
export function storedTitle(title: string | null): string | null {
  return title === null ? null : shorten(title, MAX_TITLE_CHARS)
}

/** Codes of documents that failed because of the index or the embedder. They are tried again when there is a new index. */
export const EMBEDDING_FAILURES: readonly ErrorCode[] = [
  'embedder_unavailable',
  'embedding_model_changed',
  'embedding_model_missing',
]

/** Puts a number into a path: `reports/a.pdf` becomes `reports/a (2).pdf`. */
export function numberedPath(path: string, number: number): string {
  const { before, after } = aroundNumber(path)
  return `${before}${number}${after}`
}

/** Returns the parts before and after the number in the numbered variants of a path. */
export function aroundNumber(path: string): { before: string; after: string } {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 ? name.slice(dot) : ''
  return { before: `${path.slice(0, path.length - extension.length)} (`, after: `)${extension}` }
}

const DAMAGES: Record<OriginalDamage, string> = {
  missing: 'is missing from the data folder',
  empty: 'is empty on the disk',
  cut_off: 'is cut off on the disk',
  changed: 'has changed on the disk',
}

/** Returns the warning of a document whose original is damaged. */
export function damageWarning(damage: OriginalDamage): DocumentWarning {
  const message = `The original ${DAMAGES[damage]}. The text stays searchable. Upload the same file again to restore the original.`
  return { code: 'original_damaged', message }
}

export function withoutDamageWarning(warnings: readonly DocumentWarning[]): DocumentWarning[] {
  return warnings.filter(({ code }) => code !== 'original_damaged')
}
