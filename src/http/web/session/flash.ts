import type { Flash } from '../../../pages/layout.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Ctx } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'
import { readCookie, writeCookie } from './session.ts'

/**
 * The messages that a page can show after a redirect. The cookie has only the name, so nobody can make a page show another text. It may also
 * have the IDs of documents in the trash, which an Undo button restores.
 */
const MESSAGES = {
  document_deleted: 'The document is in the trash.',
  document_purged: 'The document was deleted for good.',
  document_restored: 'The document was restored. docsearch reads it again, and then searches find it.',
  document_restored_over: 'The document was restored. The document that had its path is in the trash.',
  documents_deleted: 'The documents are in the trash.',
  documents_purged: 'The documents were deleted for good.',
  documents_restored: 'The documents were restored. docsearch reads them again, and then searches find them.',
  document_retried: 'docsearch reads the document again.',
  documents_retried: 'docsearch reads the documents again.',
  documents_moved: 'The documents were moved.',
  documents_tagged: 'The tags were added to the documents.',
  documents_partly:
    'Some of the documents were not changed: you may not change them, they are gone, or a document has their path already.',
  documents_none: 'Nothing was changed. Select documents first.',
  documents_no_project: 'Nothing was changed. Choose the project to move the documents to.',
  documents_untagged: 'The tags were removed from the documents.',
  documents_bad_tags: 'Nothing was changed. Name one to 100 tags, separated by commas. A tag has at most 200 characters.',
  shown_already: 'A new secret or link is shown only once. If you have not copied it, create another one.',
  search_saved: 'The search was saved. The start page lists it.',
  search_renamed: 'The search was renamed.',
  search_deleted: 'The search is no longer saved.',
  search_exists: 'You have saved this search already. The start page lists it.',
  searches_full: 'The search was not saved: you have 100 saved searches, the limit. Delete one first.',
  search_invalid: 'The search was not saved, because it could not be run.',
  search_bad_name: 'The search was not saved. A name has at most 200 characters, and no control characters.',
  profile_saved: 'Your profile was saved.',
  password_changed: 'Your password was changed. Other browsers were logged out.',
  session_ended: 'That browser was logged out.',
  sessions_ended: 'All other browsers were logged out.',
  key_revoked: 'The API key was revoked. It stops working at once.',
  disconnected: 'The application was disconnected. Its access has ended.',
  client_saved: 'The application was saved.',
  client_deleted: 'The application was deleted. Its access has ended.',
  project_created: 'The project was created. You manage it.',
  project_saved: 'The project was saved.',
  project_deleted: 'The project was deleted, with its documents.',
  project_taken_over: 'You manage the project now. The audit log has recorded this.',
  project_handed_over: 'The project has a manager now. The audit log has recorded this.',
  project_left: 'You left the project.',
  member_saved: 'The member was saved. The new role counts at once.',
  member_removed: 'The member was removed, and lost access at once.',
  user_disabled: 'The account was disabled. Its password, keys and connections no longer work.',
  user_enabled: 'The account was enabled.',
  user_deleted: 'The account was deleted, with its documents.',
} as const

export type FlashCode = keyof typeof MESSAGES

/** Messages about something that was not done. */
const REFUSALS: ReadonlySet<string> = new Set<FlashCode>([
  'shown_already',
  'search_exists',
  'searches_full',
  'search_invalid',
  'search_bad_name',
  'documents_partly',
  'documents_none',
  'documents_no_project',
  'documents_bad_tags',
])

const SECONDS = 60
const DOCUMENT_ID = /^doc_[0-9a-z]{26}$/

export function setFlash(ctx: Ctx, settings: HttpSettings, code: FlashCode, trashed: readonly string[]): void {
  writeCookie(ctx, settings, 'flash', [code, ...trashed].join('.'), SECONDS)
}

/** Returns the waiting message, if there is one, and removes it. */
export function takeFlash(ctx: Ctx, settings: HttpSettings, csrf: string): Flash | null {
  const cookie = readCookie(ctx, settings, 'flash')
  if (cookie === undefined) return null
  const [code = '', ...trashed] = cookie.split('.')
  writeCookie(ctx, settings, 'flash', '', 0)
  if (!Object.hasOwn(MESSAGES, code)) return null
  return { tone: REFUSALS.has(code) ? 'error' : 'success', text: MESSAGES[code as FlashCode], ...undoOf(trashed, csrf) }
}

function undoOf(trashed: readonly string[], csrf: string): Pick<Flash, 'undo'> {
  const [first] = trashed
  if (first === undefined || !trashed.every((id) => DOCUMENT_ID.test(id))) return {}
  if (trashed.length === 1) return { undo: { action: paths.documentRestore(first), csrf } }
  return { undo: { action: paths.documentsBatch, csrf, documentIds: trashed } }
}
