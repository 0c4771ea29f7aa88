import type { Client } from '../../../client/client.ts'
import type { Context } from '../../context.ts'
import { count } from '../../view/style.ts'
import { confirm } from '../confirm.ts'
import { eachDocument } from './each.ts'
import { documentId } from './find.ts'

export async function run(context: Context, ids: string[], options: { yes?: boolean }): Promise<void> {
  const client = await context.client()
  const what = ids.length === 1 ? await nameOf(client, ids[0]!) : count(ids.length, 'document')
  await confirm(context, options.yes, `Delete ${what}?`)
  await eachDocument(context, ids, 'deleted', async (given) => client.documents.delete(await documentId(client, given)))
}

async function nameOf(client: Client, given: string): Promise<string> {
  const { name, project } = await client.documents.get(await documentId(client, given))
  return `document ${name} of ${project.name}`
}
