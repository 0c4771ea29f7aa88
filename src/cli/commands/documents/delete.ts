import type { Context } from '../../context.ts'
import { count } from '../../view/style.ts'
import { confirm } from '../confirm.ts'
import { eachDocument } from './each.ts'

export async function run(context: Context, ids: string[], options: { yes?: boolean }): Promise<void> {
  const client = await context.client()
  const what = ids.length === 1 ? `document ${(await client.documents.get(ids[0]!)).name}` : count(ids.length, 'document')
  await confirm(context, options.yes, `Delete ${what}?`)
  await eachDocument(context, ids, 'deleted', (id) => client.documents.delete(id))
}
