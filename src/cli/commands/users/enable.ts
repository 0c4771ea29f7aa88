import type { Context } from '../../context.ts'
import { administer, type AdministrationOptions } from '../administer.ts'
import { showUser } from './show.ts'

export async function run(context: Context, [user = '']: string[], options: AdministrationOptions): Promise<void> {
  showUser(context, await administer(context, options, ({ users }) => users.update(user, { disabled: false })))
}
