import type { Client } from '../../../client/client.ts'
import type { Document } from '../../../contract/documents.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { defineCommand, defineNoun } from '../../define.ts'
import { usage } from '../../exit.ts'
import { argument, argumentList, flag, optionalArgument, repeatable, text, yes } from '../../options.ts'
import { oneLine } from '../../view/safe.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import { confirm } from '../confirm.ts'
import { DOCUMENT, DOCUMENT_LIST, documentId, inProject, trashedId } from './find.ts'
import { get, printText } from './get.ts'
import list from './list.ts'
import reprocess from './reprocess.ts'
import show from './show.ts'
import { changeEach } from './together.ts'
import { commandToUndo, restoring, sayHowToUndo } from './undo.ts'

const move = defineCommand({
  name: 'move',
  aliases: ['mv'],
  summary: 'Change the path or project of a document',
  arguments: {
    document: argument('<document>', DOCUMENT),
    path: optionalArgument('[path]', 'New path; a folder ends with a slash'),
  },
  options: { project: text('-p, --project <name>', 'Move to this project (ID or name)') },
  examples: [
    'docsearch documents move contract.txt alice/contract.txt',
    'docsearch documents move contract.txt archive/ --project contracts',
  ],
  async run(context, { document: given, path }, { project }) {
    if (path === undefined && project === undefined) throw usage('Missing path. Name a path, or a project with --project.')
    const client = await context.client()
    const id = await documentId(client, given)
    const target = path?.endsWith('/') === true ? path + lastPart(await client.documents.get(id)) : path
    const change = { ...(target !== undefined && { path: target }), ...(project !== undefined && { project }) }
    printChanged(context, await client.documents.update(id, change))
  },
})

function lastPart({ path }: Document): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

const rename = defineCommand({
  name: 'rename',
  summary: 'Change the name or title of a document',
  description: 'Change the name or title of a document. If the path ends with the name, the path changes as well.',
  arguments: { document: argument('<document>', DOCUMENT), name: optionalArgument('[name]', 'New name') },
  options: { project: inProject, title: text('--title <title>', 'New title') },
  examples: [
    'docsearch documents rename scan0017.pdf lease.pdf',
    "docsearch documents rename lease.pdf --title 'Lease of the mill'",
  ],
  async run(context, { document: given, name }, { project, title }) {
    if (name === undefined && title === undefined)
      throw usage('Missing name. Name the document, or give it a title with --title.')
    const client = await context.client()
    const document = await client.documents.get(await documentId(client, given, project))
    const path = name === undefined ? undefined : renamedPath(document, name)
    const change = {
      ...(name !== undefined && { name }),
      ...(path !== undefined && { path }),
      ...(title !== undefined && { title }),
    }
    printChanged(context, await client.documents.update(document.id, change))
  },
})

function renamedPath({ path, name }: { path: string; name: string }, newName: string): string | undefined {
  return path === name || path.endsWith(`/${name}`) ? path.slice(0, path.length - name.length) + newName : undefined
}

const tag = defineCommand({
  name: 'tag',
  summary: 'Add or remove tags of documents',
  arguments: { documents: argumentList('<document...>', DOCUMENT_LIST) },
  options: {
    project: inProject,
    add: repeatable(text('-a, --add <tag>', 'Tag to add, repeatable')),
    remove: repeatable(text('-r, --remove <tag>', 'Tag to remove, repeatable')),
  },
  examples: ['docsearch documents tag lease.pdf --add signed --remove draft'],
  async run(context, { documents }, { project, add, remove }) {
    if (add.length + remove.length === 0) throw usage('Missing tag. Pass --add TAG or --remove TAG.')
    const client = await context.client()
    const change = { add_tags: add, remove_tags: remove }
    const find = (given: string) => documentId(client, given, project)
    const action = { action: 'update' as const, ...change }
    await changeEach(context, { client, documents, find, action, done: 'tagged' }, async (id, tagged) => {
      if (tagged === undefined) await client.documents.update(id, change)
    })
  },
})

const restore = defineCommand({
  name: 'restore',
  summary: 'Restore documents from the trash',
  description:
    'Restore documents from the trash: deleted documents and replaced versions. A restored document gets its path back, and docsearch reads it again. If another document has taken the path, that document goes to the trash.',
  arguments: { documents: argumentList('<document...>', 'IDs, or paths or names that only one document in the trash has') },
  options: { project: inProject },
  examples: ['docsearch documents list --trashed', 'docsearch documents restore doc_01h…'],
  async run(context, { documents }, { project }) {
    const client = await context.client()
    const replaced: { id: string; by: string; undo: string }[] = []
    const changes = {
      client,
      documents,
      find: (given: string) => trashedId(client, given, project),
      action: { action: 'restore' as const },
      done: 'restored',
      fields: async () => ({ replaced }),
    }
    await changeEach(context, changes, async (id, back) => {
      const restored = back ?? (await client.documents.restore(id))
      const { replaced_id } = restored
      if (replaced_id === null || replaced_id === undefined) return id
      const undo = restoring([replaced_id])
      replaced.push({ id: replaced_id, by: id, undo })
      if (context.json) return id
      const { path } = 'path' in restored ? restored : await client.documents.get(id)
      context.notice(`The document that was at ${oneLine(path)} is in the trash now. To undo this, run \`${undo}\`.`)
      return id
    })
  },
})

const remove = defineCommand({
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

export default defineNoun({
  name: 'documents',
  aliases: ['docs'],
  summary: 'List, show, download, move, tag, delete, restore and reprocess documents',
  commands: [list, show, get, printText, move, rename, tag, remove, restore, reprocess],
  standalone: list,
})

/** Prints a document after a change of its name, path, title or project. */
function printChanged(context: Context, document: Document): void {
  const { id, name, path, project, status } = document
  if (context.json) context.printJson(document)
  else context.print(formatTable(['ID', 'NAME', 'PROJECT', 'PATH'], [[id, name, project.name, path]], context.table))
  if (status === 'queued') context.notice('The document is being indexed again. Until then, searches find it as it was.')
}
