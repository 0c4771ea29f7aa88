import type { AuditEvent } from '../../contract/audit.ts'
import { AUDIT_ACTIONS } from '../../core/audit.ts'
import type { Context } from '../context.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { choice, integer, option, text, time } from '../options.ts'
import type { Styled } from '../view/safe.ts'
import { formatTable } from '../view/table.ts'
import { localTime } from '../view/time.ts'
import { administer, DATA_OPTIONS } from './administer.ts'
import { collectPages } from './find.ts'

const DEFAULT_LIMIT = 100

export default defineCommand({
  name: 'audit',
  summary: 'List what happened, and who did it',
  description:
    'List what happened, and who did it, newest first. Managers see what happened in their projects, the owner of the instance sees ' +
    'what happened to accounts, and users see what they did themselves.',
  options: {
    ...DATA_OPTIONS,
    project: text('-p, --project <name>', 'Only events in this project (ID or name)'),
    action: choice('--action <action>', 'Only this action, such as document.delete', AUDIT_ACTIONS),
    actor: text('--actor <user>', 'Only events of this user (ID or email)'),
    document: text('--document <id>', 'Only events about this document'),
    after: option('--after <date>', 'Only events on this day or later, such as 2026-03-31', time),
    before: option('--before <date>', 'Only events before this day', time),
    limit: option('-n, --limit <number>', `Maximum number of events (default ${DEFAULT_LIMIT})`, integer(1)),
  },
  details: 'On a pipe, each line has the time, action, actor, project, subject, address, credential and details.',
  examples: [
    'docsearch audit --project contracts --action document.delete',
    'docsearch audit --actor ada@example.org --after 2026-03-01',
    'docsearch audit --action user.login_failed --json',
  ],
  async run(context, _args, { data, limit = DEFAULT_LIMIT, ...filter }) {
    let hasMore = false
    const events = await administer(context, { data }, ({ audit }) =>
      collectPages(limit, async (page) => {
        const answer = await audit.list({ ...filter, ...page })
        hasMore = answer.next_cursor !== null
        return { items: answer.events, next: answer.next_cursor }
      }),
    )
    if (context.json) context.printJson({ events })
    else if (events.length === 0) context.notice('No events.')
    else await context.printLong(tableOf(events, context))
    if (hasMore) context.notice(`There are earlier events. List more with --limit ${limit * 10}, or with --before.`)
    return events.length === 0 ? EXIT.nothing : EXIT.done
  },
})

function tableOf(events: readonly AuditEvent[], context: Context): Styled {
  const header = ['TIME', 'ACTION', 'ACTOR', 'PROJECT', 'SUBJECT', 'ADDRESS', 'CREDENTIAL', 'DETAILS']
  const rows = events.map((event) => {
    const { time: at, action, actor, project, address, credential, details } = event
    return [
      context.terminal ? localTime(at) : at,
      action,
      actor === null ? '-' : (actor.email ?? actor.name),
      project?.name ?? '-',
      subjectOf(event),
      address ?? '-',
      nameOf(credential),
      detailsOf(details),
    ]
  })
  return formatTable(header, rows, context.table)
}

/** What the event is about. */
function subjectOf({ document, user, details }: AuditEvent): string {
  if (document !== undefined) return document.name
  const { name, application, model } = details
  const thing = [name, application, model].find((value) => typeof value === 'string')
  return thing ?? (user === undefined ? '-' : (user.email ?? user.name))
}

function nameOf(credential: AuditEvent['credential']): string {
  if (credential === null) return '-'
  const { kind, name, last_four: lastFour } = credential
  return [kind.replace('_', ' '), name, lastFour === null ? null : `…${lastFour}`].filter((part) => part !== null).join(' ')
}

function detailsOf(details: AuditEvent['details']): string {
  const facts = Object.entries(details).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return facts.length === 0 ? '-' : facts.join(' ')
}
