import type { Client } from '../../../client/client.ts'
import type { Member } from '../../../contract/projects.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import { isIdSuffix } from '../../../core/ids.ts'
import { EVERYONE, PROJECT_ROLES, type ProjectRole } from '../../../core/model.ts'
import type { Context } from '../../context.ts'
import { defineCommand, defineNoun } from '../../define.ts'
import { cancelled, usage } from '../../exit.ts'
import { canAsk } from '../../io.ts'
import { argument, choice, flag, yes } from '../../options.ts'
import { formatTable } from '../../view/table.ts'
import { confirm } from '../confirm.ts'
import { endsWith, onlyMatch } from '../find.ts'
import { userNamed } from '../users/index.ts'

const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the members of a project',
  arguments: { project: argument('<project>', 'ID or name') },
  examples: ['docsearch projects members list contracts'],
  async run(context, { project }) {
    const client = await context.client()
    const answer = await client.projects.members.list(project)
    if (context.json) context.printJson(answer)
    else context.print(formatTable(['ID', 'EMAIL', 'NAME', 'ROLE'], answer.members.map(rowOf), context.table))
  },
})

function rowOf({ user, role }: Member): string[] {
  return user === EVERYONE ? [EVERYONE, '-', 'all users of the instance', role] : [user.id, user.email ?? '-', user.name, role]
}

/** What a member may do now, before "of" and the project. */
const MAY: Readonly<Record<ProjectRole, string>> = {
  reader: 'may read the documents',
  writer: 'may read, upload, edit and delete the documents',
  manager: 'may change the documents, members and settings',
}

const add = defineCommand({
  name: 'add',
  summary: "Add a member, or change a member's role",
  description:
    'Add a member, or change the role of a member. The owner of the instance can also add somebody who has no account yet: docsearch then asks first, creates the account, and prints a link for setting the password.',
  arguments: {
    project: argument('<project>', 'ID or name'),
    user: argument('<user>', `Email address or ID, or \`${EVERYONE}\` for all present and future users of the instance`),
  },
  options: {
    yes: flag('-y, --yes', "Don't ask before inviting an address without an account"),
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

const remove = defineCommand({
  name: 'remove',
  aliases: ['rm'],
  summary: 'Remove a member, who loses access at once',
  description: 'Remove a member, who loses access at once. Every member may leave a project, except its last manager.',
  arguments: {
    project: argument('<project>', 'ID or name'),
    user: argument('<user>', `Email address or ID, or \`${EVERYONE}\``),
  },
  options: { yes },
  examples: ['docsearch projects members remove contracts ada@example.org'],
  async run(context, { project, user }, options) {
    const client = await context.client()
    const person = await personNamed(client, project, user)
    const question = `Remove ${user} from ${project}? ${user === EVERYONE ? 'All users who are not members themselves lose' : 'They lose'} access at once.`
    await confirm(context, options.yes, question)
    await client.projects.members.remove(project, person)
    if (context.json) context.printJson({ project, user, removed: true })
    else context.printLine(`Removed ${user} from ${project}`)
  },
})

/** A member as messages name them. */
function nameOf(user: Member['user']): string {
  return user === EVERYONE ? EVERYONE : (user.email ?? user.name)
}

/**
 * Returns the email address or ID to send to the instance. Finds the user if the argument may be the end of an ID, as tables show it:
 * among the members of the project, and for the owner of the instance among all users.
 */
async function personNamed(client: Client, project: string, given: string): Promise<string> {
  if (given === EVERYONE || !isIdSuffix(given)) return given
  const { members } = await client.projects.members.list(project)
  const people = members.flatMap(({ user }) => (user === EVERYONE ? [] : [user])).filter(({ id }) => endsWith(id, given))
  if (people.length === 0)
    return userNamed(client, given).catch((error: unknown) => {
      // Only the owner may list users. For others, the instance says that it does not know this one.
      if (isDocsearchError(error, 'owner_only') || isDocsearchError(error, 'insufficient_scope')) return given
      throw error
    })
  const missing = { code: 'user_not_found', message: `No member has the ID ${JSON.stringify(given)}.` } as const
  return onlyMatch(people, { given, nouns: 'members', missing }).id
}

export default defineNoun({
  name: 'members',
  summary: 'List, add and remove the members of a project',
  description:
    'List, add and remove the members of a project. A reader searches, reads and downloads; a writer also uploads, edits and deletes documents; a manager also changes the members and settings of the project, and deletes it. Managers add and remove members, and every member except the last manager may leave.',
  commands: [list, add, remove],
})
