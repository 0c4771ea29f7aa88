import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import { DocsearchError, isDocsearchError } from '../../../core/errors.ts'
import { defineCommand } from '../../define.ts'
import { argumentList, flag, yes } from '../../options.ts'
import { count } from '../../view/style.ts'
import { confirm } from '../confirm.ts'
import { concernsOneDocument, eachDocument } from './each.ts'
import { DOCUMENT_LIST, documentId, inProject, trashedId } from './find.ts'
import { commandToUndo, sayHowToUndo } from './undo.ts'

/** The API accepts at most this many documents in one request. */
const MAX_AT_ONCE = 1_000

export default defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete documents',
  description:
    'Delete documents. The trash keeps them for 30 days, unless the instance has another setting (trash_days). In the trash, they still count towards the quota of bytes. Attachments are deleted with their message. With --json, `undo` is the command that restores them.',
  arguments: { documents: argumentList('<document...>', DOCUMENT_LIST) },
  options: { project: inProject, permanent: flag('--permanent', 'Delete for good, even from the trash'), yes },
  examples: ['docsearch documents delete doc_01h… --yes', 'docsearch documents delete doc_01h… --permanent'],
  async run(context, { documents }, options) {
    const client = await context.client()
    const { permanent, project } = options
    const what =
      documents.length > 1 ? count(documents.length, 'document') : await describe(client, documents[0]!, { permanent, project })
    await confirm(context, options.yes, permanent ? `Delete ${what} for good? This cannot be undone.` : `Delete ${what}?`)
    const targets = await targetsOf(client, documents, { permanent, project })
    const gone = await deleteTogether(
      client,
      [...targets.values()].flatMap(({ id }) => id ?? []),
      permanent,
    )
    const isGone = (given: string) => gone.has(targets.get(given)!.id ?? '')
    // Requests for single documents come last, because one of them may end the command.
    const inOrder = [...targets.keys()].toSorted((a, b) => Number(isGone(b)) - Number(isGone(a)))
    const deleted: string[] = []
    try {
      await eachDocument(
        context,
        inOrder,
        'deleted',
        async (given) => {
          const { id, error } = targets.get(given)!
          if (id === null) throw error
          if (!gone.has(id)) await client.documents.delete(id, { permanent })
          deleted.push(id)
          return id
        },
        async () => ({ undo: permanent ? null : await commandToUndo(client, deleted) }),
      )
    } finally {
      if (!permanent && !context.json) await sayHowToUndo(context, client, deleted)
    }
  },
})

interface Options {
  permanent: boolean
  project: string | undefined
}

async function describe(client: Client, given: string, { permanent, project }: Options): Promise<string> {
  if (permanent) return `document ${given}`
  const document = await client.documents.get(await documentId(client, given, project))
  return `document ${document.path} of project ${document.project.name}`
}

/** A document to delete, or the error of looking for it. */
type Target = { id: string; error: null } | { id: null; error: Error }

/** Finds all documents before any is deleted. Returns them by the name or ID that the user gave, each document once. */
async function targetsOf(client: Client, documents: readonly string[], options: Options): Promise<Map<string, Target>> {
  const targets = new Map<string, Target>()
  const ids = new Set<string>()
  for (const given of documents) {
    try {
      const id = await idToDelete(client, given, options)
      if (!ids.has(id)) targets.set(given, { id, error: null })
      ids.add(id)
    } catch (error) {
      if (!(error instanceof DocsearchError) || !concernsOneDocument(error)) throw error
      targets.set(given, { id: null, error })
    }
  }
  return targets
}

/**
 * Deletes several documents in one request, in which attachments follow their message. Returns the IDs of the deleted documents. The caller sends a
 * request for each of the others, because a refusal in a batch has no message, and instances of version 0.1.0 don't accept batches.
 */
async function deleteTogether(client: Client, ids: readonly string[], permanent: boolean): Promise<Set<string>> {
  const gone = new Set<string>()
  if (ids.length < 2) return gone
  try {
    for (let i = 0; i < ids.length; i += MAX_AT_ONCE) {
      const batch = { action: 'delete' as const, ids: ids.slice(i, i + MAX_AT_ONCE), permanent }
      const { results } = await client.documents.batch(batch)
      for (const { id, status } of results) if (status < 400) gone.add(id)
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
  }
  return gone
}

/** With --permanent, a name or path also means a document in the trash if there is no other. */
async function idToDelete(client: Client, given: string, { permanent, project }: Options): Promise<string> {
  try {
    return await documentId(client, given, project)
  } catch (error) {
    if (!permanent || !isDocsearchError(error, 'document_not_found')) throw error
    return trashedId(client, given, project)
  }
}
