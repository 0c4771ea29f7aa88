import type { Context } from '../../context.ts'
import { safeText } from '../../view/safe.ts'
import { documentId } from './find.ts'

/** On a pipe exactly what was extracted; on a terminal without what a terminal would obey. */
export async function run(context: Context, [given = '']: string[], options: { page?: number }): Promise<void> {
  const client = await context.client()
  const id = await documentId(client, given)
  const text = await client.documents.text(id, options.page)
  if (context.json) context.printJson({ id, page: options.page ?? null, text })
  else if (context.terminal) context.print(safeText(text).replace(/\n*$/, '\n'))
  else context.print(text)
}
