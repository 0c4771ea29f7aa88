import type { Document } from '../../../contract/documents.ts'
import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { argument, optionalArgument, text } from '../../options.ts'
import { DOCUMENT, documentId } from './find.ts'
import { printChanged } from './print-changed.ts'

export default defineCommand({
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
