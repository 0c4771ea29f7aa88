import type { Client } from '../../../client/client.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { collectPages } from '../pages.ts'

export const DOCUMENT = 'ID, or a name or path that only one document has'
export const DOCUMENT_LIST = 'IDs, or names or paths that only one document has'

const ID = /^doc_[0-9a-z]{26}$/
const MAX_SHOWN = 5

/**
 * Returns the ID of the document that an argument names by its ID, name or path.
 * Throws DocsearchError `document_not_found`, or `ambiguous_name` when several documents have the name or path.
 */
export async function documentId(client: Client, given: string): Promise<string> {
  if (ID.test(given)) return given
  const name = given.split('/').at(-1) || given
  const documents = await collectPages(undefined, async (page) => {
    const answer = await client.documents.list({ name, ...page })
    return { items: answer.documents, next: answer.next_cursor }
  })
  const matches = documents.filter((document) => document.name === given || document.path === given)
  if (matches.length === 1) return matches[0]!.id
  if (matches.length === 0) throw new DocsearchError('document_not_found', `There is no document ${JSON.stringify(given)}.`)
  const shown = matches.slice(0, MAX_SHOWN).map(({ id, path, project }) => `${id} (${path} in ${project.name})`)
  const more = matches.length > MAX_SHOWN ? `, and ${matches.length - MAX_SHOWN} more` : ''
  throw new DocsearchError(
    'ambiguous_name',
    `${matches.length} documents match ${JSON.stringify(given)}. Use an ID: ${shown.join(', ')}${more}.`,
  )
}
