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
  const { made, first } = await administer(
    context,
    options,
    async ({ users }) => ({ made: await users.create(person), first: (await users.list({ limit: 1 })).users[0] }),
    { mayCreate: true },
  )
  showUser(context, made)
  if (first?.role === 'owner' && first.id !== made.id && !first.has_password)
    context.notice('The owner has no password yet: if that is you, `docsearch users add EMAIL --owner` completes the account.')
}
