import { InvalidArgumentError } from 'commander'
import type { User, UserCreated, UserDeletion } from '../../../contract/users.ts'
import { isIdSuffix } from '../../../core/ids.ts'
import type { Context } from '../../context.ts'
import { defineCommand, defineNoun } from '../../define.ts'
import { EXIT, usage } from '../../exit.ts'
import { argument, flag, integer, option, text, yes } from '../../options.ts'
import { count } from '../../view/style.ts'
import { formatFields, formatTable } from '../../view/table.ts'
import { shownMoment, shownTime } from '../../view/time.ts'
import { usageFields } from '../../view/limits.ts'
import { administer, type Administration, DATA_OPTIONS, publicUrl } from '../administer.ts'
import { confirm } from '../confirm.ts'
import { endsWith, onlyMatch, collectPages } from '../find.ts'

const USER = 'Email address or ID'

/** Returns the email address or ID to ask the instance for. Finds the user if the argument may be the end of an ID, as tables show it. */
export async function userNamed({ users }: Administration, given: string): Promise<string> {
  if (!isIdSuffix(given)) return given
  const all = await collectPages<User>(undefined, async (page) => {
    const answer = await users.list(page)
    return { items: answer.users, next: answer.next_cursor }
  })
  const missing = { code: 'user_not_found', message: `No user has the ID or email ${JSON.stringify(given)}.` } as const
  const matches = all.filter(({ id }) => endsWith(id, given))
  return onlyMatch(matches, { given, nouns: 'users', missing }).id
}

const HEADER = ['ID', 'EMAIL', 'NAME', 'ROLE', 'STATUS', 'PROJECTS', 'CREATED', 'LAST LOGIN']

const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List users',
  options: {
    ...DATA_OPTIONS,
    limit: option('-n, --limit <number>', 'Maximum number of users (default all)', integer(1)),
  },
  examples: ['docsearch users list --json'],
  async run(context, _args, options) {
    const found = await administer(context, options, ({ users }) =>
      collectPages(options.limit, async (page) => {
        const answer = await users.list(page)
        return { items: answer.users, next: answer.next_cursor }
      }),
    )
    if (context.json) context.printJson({ users: found })
    else if (found.length === 0) context.notice('No users.')
    else {
      const rows = found.map((user) => [
        user.id,
        user.email ?? '-',
        user.name,
        user.role,
        statusOf(user),
        user.project_count === undefined ? '-' : String(user.project_count),
        shownTime(user.created_at, context.terminal),
        shownTime(user.last_login_at, context.terminal),
      ])
      await context.printLong(formatTable(HEADER, rows, context.table))
    }
    return found.length === 0 ? EXIT.nothing : EXIT.done
  },
})

const show = defineCommand({
  name: 'show',
  summary: 'Show a user',
  arguments: { user: argument('<user>', USER) },
  options: DATA_OPTIONS,
  examples: ['docsearch users show ada@example.org'],
  async run(context, { user }, options) {
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.get(await userNamed(administration, user)),
      ),
    )
  },
})

/** Prints a user, with the one-time link if there is one. */
function printUser(context: Context, user: UserCreated): void {
  if (context.json) return context.printJson(user)
  context.print(
    formatFields(
      [
        ['id', user.id],
        ['email', user.email],
        ['name', user.name],
        ['role', user.role],
        ['status', statusOf(user)],
        ['created', shownMoment(user.created_at, context.terminal)],
        ['last_login', shownMoment(user.last_login_at, context.terminal)],
        ['projects', user.project_count === undefined ? null : String(user.project_count)],
        ...usageFields(context, user),
        ['invitation_url', user.invitation_url],
        ['invitation_expires_at', shownMoment(user.invitation_expires_at, context.terminal)],
      ],
      context.table,
    ),
  )
  if (user.invitation_url !== undefined)
    context.notice(
      user.role === 'owner' && !user.has_password
        ? 'The link works once. It stops working when `docsearch serve` starts again and prints a new one.'
        : `Send the link to ${user.email ?? 'the user'}. It works once and is shown only once.`,
    )
}

function statusOf(user: User): string {
  if (user.disabled) return 'disabled'
  return user.has_password ? 'active' : 'no password yet'
}

const add = defineCommand({
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

const disable = defineCommand({
  name: 'disable',
  summary: 'Lock a user out',
  description: "Lock a user out. The user's documents stay.",
  arguments: { user: argument('<user>', USER) },
  options: DATA_OPTIONS,
  examples: ['docsearch users disable ada@example.org'],
  async run(context, { user }, options) {
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.update(await userNamed(administration, user), { disabled: true }),
      ),
    )
  },
})

const enable = defineCommand({
  name: 'enable',
  summary: 'Enable a disabled user again',
  arguments: { user: argument('<user>', USER) },
  options: DATA_OPTIONS,
  examples: ['docsearch users enable ada@example.org'],
  async run(context, { user }, options) {
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.update(await userNamed(administration, user), { disabled: false }),
      ),
    )
  },
})

const reset = defineCommand({
  name: 'reset',
  summary: 'Print a link that lets a user set a new password',
  arguments: { user: argument('<user>', USER) },
  options: { ...DATA_OPTIONS, publicUrl },
  examples: ['docsearch users reset ada@example.org'],
  async run(context, { user }, options) {
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.reset(await userNamed(administration, user)),
      ),
    )
  },
})

const UNITS: Record<string, number> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 }
const OTHER_VALUES = '`none` for no quota, `default` for the quota of the instance'

const quota = defineCommand({
  name: 'quota',
  summary: 'Set the quotas of a user',
  description:
    "Set how many documents, bytes and passages a user may have. A user over a quota can't add documents. docsearch never deletes documents because of a quota.",
  arguments: { user: argument('<user>', USER) },
  options: {
    ...DATA_OPTIONS,
    documents: option('--documents <number>', `Maximum number of documents; ${OTHER_VALUES}`, amount(integer(1))),
    bytes: option('--bytes <size>', `Maximum size of all files, such as 5GB; ${OTHER_VALUES}`, amount(size)),
    passages: option('--passages <number>', `Maximum number of passages; ${OTHER_VALUES}`, amount(integer(1))),
  },
  examples: ['docsearch users quota ada@example.org --bytes 5GB --documents none'],
  async run(context, { user }, { documents, bytes, passages, ...options }) {
    const quota = { documents: orNull(documents), bytes: orNull(bytes), passages: orNull(passages) }
    if (Object.values(quota).every((value) => value === undefined))
      throw usage('Nothing to set. Pass --documents, --bytes or --passages.')
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.update(await userNamed(administration, user), { quota }),
      ),
    )
  },
})

/**
 * Parses a quota. `none` becomes 0, as in the API. Commander treats null as a missing value, so `default` becomes null only in
 * `orNull`.
 */
function amount(parse: (value: string) => number): (value: string) => number | 'default' {
  return (value) => (value === 'default' ? value : value === 'none' ? 0 : parse(value))
}

function orNull(value: number | 'default' | undefined): number | null | undefined {
  return value === 'default' ? null : value
}

function size(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d+)?) ?([a-z]{0,2})$/i.exec(value) ?? []
  const bytes = Math.round(Number(digits) * (UNITS[unit.toLowerCase()] ?? NaN))
  if (digits !== '' && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes
  throw new InvalidArgumentError('It must be a size such as 500MB or 5GB.')
}

const remove = defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a user',
  description:
    'Delete a user and their private projects, keys and applications. The confirmation lists the private projects. Projects with other members stay.',
  arguments: { user: argument('<user>', USER) },
  options: { ...DATA_OPTIONS, yes },
  examples: ['docsearch users delete ada@example.org --yes'],
  async run(context, args, options) {
    await administer(context, options, async (administration) => {
      const { users } = administration
      const user = await users.get(await userNamed(administration, args.user))
      const who = user.email ?? user.name
      if (!options.yes) showProjects(context, await users.previewDeletion(user.id))
      await confirm(context, options.yes, `Delete user ${who}, these projects, and all keys and applications of the user?`)
      const deleted = await users.delete(user.id)
      if (context.json) context.printJson(deleted)
      else context.printLine(`Deleted user ${who} and ${count(deleted.documents_deleted, 'document')}`)
    })
  },
})

/** The confirmation lists at most this many projects. */
const MAX_LISTED = 100

function showProjects(context: Context, { projects }: UserDeletion): void {
  if (projects.length === 0) return context.notice('The user has no private projects.')
  context.notice('These private projects would be deleted:')
  for (const { name, document_count, trashed_count } of projects.slice(0, MAX_LISTED)) {
    const trash = trashed_count === 0 ? '' : `, and ${trashed_count} in the trash`
    context.notice(`  ${name} (${count(document_count, 'document')}${trash})`)
  }
  if (projects.length > MAX_LISTED) context.notice(`  and ${count(projects.length - MAX_LISTED, 'more project')}`)
}

export default defineNoun({
  name: 'users',
  summary: 'Add, list, limit, disable, reset and delete users',
  description: 'Add, list, limit, disable, reset and delete the users of an instance. Only its owner may do this.',
  options: DATA_OPTIONS,
  commands: [add, list, show, quota, disable, enable, reset, remove],
  standalone: list,
})
