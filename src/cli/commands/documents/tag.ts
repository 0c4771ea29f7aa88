import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { argumentList, repeatable, text } from '../../options.ts'
import { eachDocument } from './each.ts'
import { DOCUMENT_LIST, documentId } from './find.ts'

export default defineCommand({
  name: 'tag',
  summary: 'Add or remove tags of documents',
  arguments: { documents: argumentList('<document...>', DOCUMENT_LIST) },
  options: {
    add: repeatable(text('-a, --add <tag>', 'Tag to add, repeatable')),
    remove: repeatable(text('-r, --remove <tag>', 'Tag to remove, repeatable')),
  },
  examples: ['docsearch documents tag lease.pdf --add signed --remove draft'],
  async run(context, { documents }, { add, remove }) {
    if (add.length + remove.length === 0) throw usage('Missing tag. Pass --add TAG or --remove TAG.')
    const client = await context.client()
    await eachDocument(context, documents, 'tagged', async (given) => {
      const { id, tags } = await client.documents.get(await documentId(client, given))
      const changed = [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag))
      await client.documents.update(id, { tags: changed })
    })
  },
})
