import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { argument, optionalArgument, text } from '../../options.ts'
import { DOCUMENT, documentId, inProject } from './find.ts'
import { printChanged } from './print-changed.ts'

export default defineCommand({
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
