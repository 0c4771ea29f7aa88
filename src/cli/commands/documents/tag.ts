import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { argumentList, repeatable, text } from '../../options.ts'
import { DOCUMENT_LIST, documentId, inProject } from './find.ts'
import { changeEach } from './together.ts'

export default defineCommand({
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
