import type { Context } from '../../context.ts'
import { oneLine } from '../../view/safe.ts'
import { administer, type AdministrationOptions } from '../administer.ts'
import { confirm } from '../confirm.ts'

export async function run(
  context: Context,
  [id = '']: string[],
  options: AdministrationOptions & { yes?: boolean },
): Promise<void> {
  await administer(context, options, async ({ clients }) => {
    const client = await clients.get(id)
    await confirm(context, options.yes, `Delete application ${client.name}? Whoever connected it is disconnected.`)
    await clients.delete(client.client_id)
    if (context.json) context.printJson({ client_id: client.client_id, deleted: true })
    else context.print(`Deleted application ${oneLine(client.name)}\n`)
  })
}
