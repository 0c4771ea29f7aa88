import type { Context } from '../../context.ts'
import { eachDocument } from './each.ts'

export async function run(context: Context, ids: string[]): Promise<void> {
  const client = await context.client()
  await eachDocument(context, ids, 'queued', (id) => client.documents.reprocess(id))
}
