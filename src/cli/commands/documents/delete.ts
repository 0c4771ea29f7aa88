import type { Client } from '../../../client/client.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import { defineCommand } from '../../define.ts'
import { argumentList, flag, yes } from '../../options.ts'
import { count } from '../../view/style.ts'
import { confirm } from '../confirm.ts'
import { DOCUMENT_LIST, documentId, inProject, trashedId } from './find.ts'
import { changeEach } from './together.ts'
import { commandToUndo, sayHowToUndo } from './undo.ts'

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
    const deleted: string[] = []
    const changes = {
      client,
      documents,
      find: (given: string) => idToDelete(client, given, { permanent, project }),
      action: { action: 'delete' as const, permanent },
      done: 'deleted',
      fields: async () => ({ undo: permanent ? null : await commandToUndo(client, deleted) }),
    }
    try {
      await changeEach(context, changes, async (id, gone) => {
        if (gone === undefined) await client.documents.delete(id, { permanent })
        deleted.push(id)
        return id
      })
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

/** With --permanent, a name or path also means a document in the trash if there is no other. */
async function idToDelete(client: Client, given: string, { permanent, project }: Options): Promise<string> {
  try {
    return await documentId(client, given, project)
  } catch (error) {
    if (!permanent || !isDocsearchError(error, 'document_not_found')) throw error
    return trashedId(client, given, project)
  }
}
