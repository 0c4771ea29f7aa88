import type { Client } from '../../../client/client.ts'
import type { DocumentFilter } from '../../../client/list-filters.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Document } from '../../../contract/documents.ts'
import { isIdSuffix } from '../../../core/ids.ts'
import { text } from '../../options.ts'
import { onlyMatch, collectPages } from '../find.ts'

export const DOCUMENT = 'ID, or a path or name that only one document has'
export const DOCUMENT_LIST = 'IDs, or paths or names that only one document has'

/** Where to look for a path or name. */
export const inProject = text('-p, --project <name>', 'Look for paths and names in this project only (ID or name)')

const ID = /^doc_[0-9a-z]{26}$/

/**
 * Returns the ID of the document that an argument names by its ID, the end of its ID, its path or its name, in this project or in any. A path goes
 * before names, and names go before ends of IDs.
 * Throws DocsearchError `document_not_found`, or `ambiguous_name` when several documents have the path or name.
 */
export function documentId(client: Client, given: string, project?: string): Promise<string> {
  return idOf(client, given, { project })
}

/** The same for a document in the trash. */
export function trashedId(client: Client, given: string, project?: string): Promise<string> {
  return idOf(client, given, { project, trashed: true })
}

type Where = Pick<DocumentFilter, 'trashed' | 'project'>

async function idOf(client: Client, given: string, where: Where): Promise<string> {
  if (ID.test(given)) return given
  const inProject = where.project === undefined ? '' : ` in the project ${where.project}`
  const message = where.trashed
    ? `There is no document ${JSON.stringify(given)} in the trash. To see what is there, run \`docsearch documents list --trashed\`.`
    : `There is no document ${JSON.stringify(given)}${inProject}.`
  return onlyMatch(await matchesOf(client, given, where), {
    given,
    nouns: 'documents',
    missing: { code: 'document_not_found', message },
    describe: ({ id, path, project }) => `${id} (${path} in ${project.name})`,
    advice: where.project === undefined ? 'Use an ID, or --project' : 'Use an ID',
  }).id
}

/** Returns the documents with this path; without any, those with this name; without any, those whose ID ends with it. */
async function matchesOf(client: Client, given: string, where: Where): Promise<Document[]> {
  const byPath = (await list(client, { path_prefix: given, ...where }).catch(withoutFilter)).filter(({ path }) => path === given)
  if (byPath.length > 0) return byPath
  const byName = (await list(client, { name: given, ...where })).filter(({ name }) => name === given)
  if (byName.length > 0 || !isIdSuffix(given)) return byName
  return list(client, { id_suffix: given, ...where }).catch(withoutFilter)
}

function list(client: Client, filter: DocumentFilter): Promise<Document[]> {
  return collectPages(undefined, async (page) => {
    const answer = await client.documents.list({ ...filter, ...page })
    return { items: answer.documents, next: answer.next_cursor }
  })
}

/** Instances of version 0.1.0 can't be asked for a path or the end of an ID. */
function withoutFilter(error: unknown): Document[] {
  if (error instanceof ClientError && error.status === 400) return []
  throw error
}
