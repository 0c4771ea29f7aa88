import type { Client } from '../../../client/client.ts'
import { defineCommand } from '../../define.ts'
import { argumentList, yes } from '../../options.ts'
import { count } from '../../view/style.ts'
import { confirm } from '../confirm.ts'
import { eachDocument } from './each.ts'
import { DOCUMENT_LIST, documentId } from './find.ts'

export default defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete documents',
  arguments: { documents: argumentList('<document...>', DOCUMENT_LIST) },
  options: { yes },
  examples: ['docsearch documents delete doc_01h… --yes'],
  async run(context, { documents }, options) {
    const client = await context.client()
    const what = documents.length === 1 ? await describe(client, documents[0]!) : count(documents.length, 'document')
    await confirm(context, options.yes, `Delete ${what}?`)
    await eachDocument(context, documents, 'deleted', async (given) => client.documents.delete(await documentId(client, given)))
  },
})

async function describe(client: Client, given: string): Promise<string> {
  const { path, project } = await client.documents.get(await documentId(client, given))
  return `document ${path} of project ${project.name}`
}
