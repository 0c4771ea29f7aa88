import type { UserCreate } from '../../../contract/users.ts'
import type { Context } from '../../context.ts'
import { administer, type AdministrationOptions } from '../administer.ts'
import { readPassword } from './password.ts'
import { showUser } from './show.ts'

export async function run(
  context: Context,
  [email = '']: string[],
  options: AdministrationOptions & { name?: string; passwordStdin?: boolean; owner?: boolean },
): Promise<void> {
  const person: UserCreate = { email }
  if (options.name !== undefined) person.name = options.name
  if (options.owner === true) person.role = 'owner'
  if (options.passwordStdin === true) person.password = await readPassword(context.io)
  showUser(context, await administer(context, options, ({ users }) => users.create(person), { mayCreate: true }))
}
