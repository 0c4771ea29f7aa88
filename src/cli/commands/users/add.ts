import { defineCommand } from '../../define.ts'
import { argument, flag, text } from '../../options.ts'
import { administer, DATA_OPTIONS, publicUrl } from '../administer.ts'
import { printUser } from './show.ts'

export default defineCommand({
  name: 'add',
  summary: 'Add a user',
  description: 'Add a user. Without a password, print an invitation link that lets the user set one.',
  arguments: { email: argument('<email>', 'Email address') },
  options: {
    ...DATA_OPTIONS,
    name: text('--name <name>', 'Name of the user (default: the part of the address before the @)'),
    passwordStdin: flag('--password-stdin', 'Read the password from standard input'),
    isOwner: flag('--owner', "Complete the owner's account, which has no password yet"),
    publicUrl,
  },
  examples: [
    'docsearch users add ada@example.org --name "Ada Lovelace"',
    'docsearch users add me@example.org --owner --password-stdin --data /srv/docsearch < password.txt',
  ],
  async run(context, { email }, options) {
    const { readPassword } = await import('./password.ts')
    const password = options.passwordStdin ? await readPassword(context.io) : undefined
    const role = options.isOwner ? 'owner' : undefined
    const { created, first } = await administer(
      context,
      options,
      async ({ users }) => ({
        created: await users.create({ email, name: options.name, role, password }),
        first: (await users.list({ limit: 1 })).users[0],
      }),
      { mayCreate: true },
    )
    printUser(context, created)
    if (first?.role === 'owner' && first.id !== created.id && !first.has_password)
      context.notice('The owner has no password yet. If you are the owner, run `docsearch users add EMAIL --owner`.')
  },
})
