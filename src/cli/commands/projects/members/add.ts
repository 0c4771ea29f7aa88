import { isDocsearchError } from '../../../../core/errors.ts'
import { EVERYONE, PROJECT_ROLES, type ProjectRole } from '../../../../core/model.ts'
import type { Context } from '../../../context.ts'
import { defineCommand } from '../../../define.ts'
import { cancelled, usage } from '../../../exit.ts'
import { canAsk } from '../../../io.ts'
import { argument, choice, flag } from '../../../options.ts'
import { nameOf, personNamed } from './find.ts'

/** What a member may do now, before "of" and the project. */
const MAY: Readonly<Record<ProjectRole, string>> = {
  reader: 'may read the documents',
  writer: 'may read, upload, edit and delete the documents',
  manager: 'may change the documents, members and settings',
}

export default defineCommand({
  name: 'add',
  summary: "Add a member, or change a member's role",
  description:
    'Add a member, or change the role of a member. The owner of the instance can also add somebody who has no account yet: docsearch then asks first, creates the account, and prints a link for setting the password.',
  arguments: {
    project: argument('<project>', 'ID or name'),
    user: argument('<user>', `Email address or ID, or \`${EVERYONE}\` for all present and future users of the instance`),
  },
  options: {
    yes: flag('-y, --yes', 'Invite an address that nobody has without asking'),
    role: choice('--role <role>', 'What the member may do (default reader)', PROJECT_ROLES),
  },
  examples: [
    'docsearch projects members add contracts ada@example.org --role writer',
    'docsearch projects members add handbook everyone',
  ],
  async run(context, { project, user }, { role = 'reader', yes }) {
    const client = await context.client()
    const person = await personNamed(client, project, user)
    const set = (invite: boolean) => client.projects.members.set(project, person, { role, invite })
    const saved = await set(yes).catch(async (error: unknown) => {
      if (yes || !user.includes('@') || !isDocsearchError(error, 'user_not_found')) throw error
      await confirmInvitation(context, user)
      return set(true)
    })
    if (context.json) return context.printJson(saved)
    const who = saved.user === EVERYONE ? 'Every user' : nameOf(saved.user)
    context.printLine(`${who} ${MAY[saved.role]} of '${project}'`)
    if (saved.invitation_url !== undefined) context.printLine(`invitation link, works once: ${saved.invitation_url}`)
  },
})

/** A typing error in the address must not create an account. */
async function confirmInvitation(context: Context, email: string): Promise<void> {
  const nobody = `Nobody here has the address ${email}.`
  if (!canAsk(context.io)) throw usage(`${nobody} To invite them, add --yes.`)
  const prompts = await context.io.prompts()
  const isConfirmed = await prompts.confirm({ message: `${nobody} Invite them?`, default: false })
  if (!isConfirmed) throw cancelled('Cancelled. Nobody was invited.')
}
