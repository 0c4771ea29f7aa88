import type { Client } from '../../../client/client.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { usage } from '../../exit.ts'
import { collectPages } from '../pages.ts'

const ID = /^doc_[0-9a-z]{26}$/
const SHOWN = 5

/** The id of the document that an argument means: its id, or a name or path that no other document has. Throws DocsearchError. */
export async function documentId(client: Client, given: string): Promise<string> {
  if (ID.test(given)) return given
  const name = given.split('/').at(-1) || given
  const documents = await collectPages(undefined, async (page) => {
    const answer = await client.documents.list({ name, ...page })
    return { items: answer.documents, next: answer.next_cursor }
  })
  const meant = documents.filter((document) => document.name === given || document.path === given)
  if (meant.length === 1) return meant[0]!.id
  if (meant.length === 0) {
    throw new DocsearchError('document_not_found', `There is no document ${JSON.stringify(given)}.`)
  }
  const shown = meant.slice(0, SHOWN).map(({ id, path, project }) => `${id} (${path} in ${project.name})`)
  const more = meant.length > SHOWN ? `, and ${meant.length - SHOWN} more` : ''
  throw usage(`${meant.length} documents are called ${JSON.stringify(given)}; name one by its id: ${shown.join(', ')}${more}.`)
}
