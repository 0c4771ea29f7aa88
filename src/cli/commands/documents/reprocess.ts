import type { Context } from '../../context.ts'
import { eachDocument } from './each.ts'
import { documentId } from './find.ts'

export async function run(context: Context, ids: string[]): Promise<void> {
  const client = await context.client()
  await eachDocument(context, ids, 'queued', async (given) => client.documents.reprocess(await documentId(client, given)))
}
