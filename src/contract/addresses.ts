import { hash } from 'node:crypto'

// Addresses of views that answers of the API contain. pages/paths.ts has the addresses of all views.

export const SETUP_PATH = '/setup'
export const PASSAGE_ANCHOR = 'passage'

export function documentPath(id: string): string {
  return `/documents/${id}`
}

/** Returns the address of the page where a user sets a password. */
export function passwordLinkAddress(baseUrl: string, token: string): string {
  return `${baseUrl}${SETUP_PATH}?token=${token}`
}

/** Where a passage is in the text of its document. `check` tells whether the text there is still the same. */
export interface PassagePlace {
  /** Offsets in `documentText(pages)`, in UTF-16 code units. */
  start: number
  end: number
  check: string
}

const PASSAGE = /^(\d{1,9})-(\d{1,9})-([0-9a-f]{8})$/

/**
 * Returns path, query and fragment of a passage's page, e.g. `/documents/doc_1?page=12&passage=4711-5230-1f3a9c2e#passage`. It names the
 * passage by its offsets and not by its id, because the offsets stay the same when the document is cut into passages again. When the text
 * there has changed, the address still leads to the page.
 */
export function passageAddress(passage: {
  documentId: string
  page: number
  charStart: number
  charEnd: number
  text: string
}): string {
  const { documentId, page, charStart, charEnd, text } = passage
  return `${documentPath(documentId)}?page=${page}&passage=${charStart}-${charEnd}-${checkOf(text)}#${PASSAGE_ANCHOR}`
}

/** Reads the `passage` parameter of such an address. Returns null when it is malformed. */
export function parsePassage(sent: string): PassagePlace | null {
  const [, start = '', end = '', check = ''] = PASSAGE.exec(sent) ?? []
  return check === '' || Number(end) <= Number(start) ? null : { start: Number(start), end: Number(end), check }
}

/** True when the document's text still has the passage at its place. */
export function isPassageThere({ start, end, check }: PassagePlace, documentText: string): boolean {
  return checkOf(documentText.slice(start, end)) === check
}

function checkOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 8)
}
