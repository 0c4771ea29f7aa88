import type { Context } from '../../context.ts'
import { oneLine } from '../../view/safe.ts'
import { confirm } from '../confirm.ts'

export async function run(context: Context, [id = '']: string[], options: { yes?: boolean }): Promise<void> {
  const client = await context.client()
  await confirm(context, options.yes, `Delete key ${id}? Whoever uses it is locked out.`)
  await client.keys.delete(id)
  if (context.json) context.printJson({ id, deleted: true })
  else context.print(`Deleted key ${oneLine(id)}\n`)
}
