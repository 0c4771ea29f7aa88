import type { Context } from '../../context.ts'
import { oneLine } from '../../view/safe.ts'
import { count } from '../../view/style.ts'
import { administer, type AdministrationOptions } from '../administer.ts'
import { confirm } from '../confirm.ts'

export async function run(
  context: Context,
  [idOrEmail = '']: string[],
  options: AdministrationOptions & { yes?: boolean },
): Promise<void> {
  await administer(context, options, async ({ users }) => {
    const user = await users.get(idOrEmail)
    const who = user.email ?? user.name
    await confirm(context, options.yes, `Delete user ${who} with all documents, keys and applications?`)
    const deleted = await users.delete(user.id)
    if (context.json) context.printJson(deleted)
    else context.print(`Deleted user ${oneLine(who)} with ${count(deleted.documents_deleted, 'document')}\n`)
  })
}
