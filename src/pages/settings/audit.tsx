import type { ComponentChildren } from 'preact'
import type { AuditEvent } from '../../contract/audit.ts'
import { AUDIT_ACTIONS, type AuditAction } from '../../core/audit.ts'
import { html, type SignedInProps } from '../layout.tsx'
import { Empty, Row, Time, type Badge } from '../parts.tsx'
import { paths } from '../paths.ts'
import { SettingsPage } from './frame.tsx'

/** The query parameters of the view's address, as the user typed them. */
export const AUDIT_FIELDS = ['action', 'project', 'actor', 'after', 'before'] as const
export type AuditField = (typeof AUDIT_FIELDS)[number]
export type AuditFields = Partial<Record<AuditField, string>>

export interface AuditProps extends SignedInProps {
  fields: AuditFields
  /** One sentence for each field with an error. */
  errors: AuditFields
  projects: readonly { id: string; name: string }[]
  events: readonly AuditEvent[]
  /** Where the events of this view begin; null for the newest ones. */
  cursor: string | null
  nextCursor: string | null
  /** How many days events are kept; 0 when the audit log is off. */
  days: number
}

/** `/settings/audit`. */
export function renderAudit({ fields, errors, projects, events, cursor, nextCursor, days, ...page }: AuditProps): string {
  const isFiltered = AUDIT_FIELDS.some((name) => fields[name])
  return html(
    <SettingsPage page={page} tab="Audit log" lead={leadOf(days)} failed={Object.keys(errors).length > 0}>
      <Filters fields={fields} errors={errors} projects={projects} />
      {events.length > 0 && (
        <ul class="rows">
          {events.map((event) => (
            <EventRow event={event} />
          ))}
        </ul>
      )}
      {events.length === 0 && nextCursor === null && (
        <Empty title={isFiltered ? 'No such events' : 'No events'}>
          {isFiltered ? 'Change the filters to see others.' : 'New events appear here.'}
        </Empty>
      )}
      {events.length === 0 && nextCursor !== null && <p>No event matches among those searched so far. There are older events.</p>}
      <div class="buttons">
        {cursor !== null && (
          <a class="button" href={auditAddress(fields)}>
            Newest events
          </a>
        )}
        {nextCursor !== null && (
          <a class="button" href={auditAddress(fields, nextCursor)}>
            Older events
          </a>
        )}
      </div>
    </SettingsPage>,
  )
}

function leadOf(days: number): string {
  if (days === 0) return 'The audit log of this instance is turned off.'
  return `What happened in the projects that you manage and to your account, and what you did. docsearch keeps these events for ${days === 1 ? 'a day' : `${days} days`}.`
}

/** Returns the address of the view without empty fields. */
function auditAddress(fields: AuditFields, cursor?: string): string {
  const query = new URLSearchParams(AUDIT_FIELDS.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])))
  if (cursor !== undefined) query.set('cursor', cursor)
  return query.size === 0 ? paths.audit : `${paths.audit}?${query}`
}

/** A GET form, because each list of events needs an address. */
function Filters({ fields, errors, projects }: Pick<AuditProps, 'fields' | 'errors' | 'projects'>) {
  const { project = '' } = fields
  const isKnown = project === '' || projects.some(({ id }) => id === project)
  return (
    <form method="get" action={paths.audit} class="filters" aria-label="Filters">
      <Filter name="action" label="Action" errors={errors}>
        <select id="action" name="action" {...errorAttributes('action', errors)}>
          <option value="">All</option>
          {AUDIT_ACTIONS.map((action) => (
            <option value={action} selected={fields.action === action}>
              {LABELS[action]}
            </option>
          ))}
        </select>
      </Filter>
      <Filter name="project" label="Project" errors={errors}>
        <select id="project" name="project" {...errorAttributes('project', errors)}>
          <option value="">All</option>
          {!isKnown && (
            <option value={project} selected>
              {project}
            </option>
          )}
          {projects.map(({ id, name }) => (
            <option value={id} selected={id === project}>
              {name}
            </option>
          ))}
        </select>
      </Filter>
      <TextFilter name="actor" label="Done by (email)" fields={fields} errors={errors} />
      <TextFilter name="after" label="Since" type="date" fields={fields} errors={errors} />
      <TextFilter name="before" label="Before" type="date" fields={fields} errors={errors} />
      <div class="buttons">
        <button type="submit">Filter</button>
      </div>
    </form>
  )
}

interface FilterProps {
  name: AuditField
  label: string
  errors: AuditFields
}

function Filter({ name, label, errors, children }: FilterProps & { children: ComponentChildren }) {
  const error = errors[name]
  return (
    <div class={error === undefined ? 'field' : 'field invalid'}>
      <label for={name}>{label}</label>
      {children}
      {error !== undefined && (
        <p class="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

function TextFilter({
  name,
  label,
  errors,
  fields,
  type = 'text',
}: FilterProps & { fields: AuditFields; type?: 'text' | 'date' }) {
  const typed = fields[name] ?? ''
  // Browsers complain about a day in another form.
  const value = type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(typed) ? '' : typed
  const shared = { id: name, name, value, autocomplete: 'off', ...errorAttributes(name, errors) }
  return (
    <Filter name={name} label={label} errors={errors}>
      {type === 'date' ? <input type="date" {...shared} /> : <input type="text" autocapitalize="none" {...shared} />}
    </Filter>
  )
}

function errorAttributes(name: AuditField, errors: AuditFields) {
  return errors[name] === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${name}-error` }
}

const LABELS: Readonly<Record<AuditAction, string>> = {
  'document.upload': 'Document uploaded',
  'document.replace': 'Document replaced',
  'document.update': 'Document changed',
  'document.reprocess': 'Document reprocessed',
  'document.delete': 'Document deleted',
  'document.restore': 'Document restored',
  'document.download': 'Original downloaded',
  'project.create': 'Project created',
  'project.update': 'Project changed',
  'project.delete': 'Project deleted',
  'project.take_over': 'Project taken over',
  'synonyms.change': 'Synonyms changed',
  'member.add': 'Member added',
  'member.change': 'Role changed',
  'member.remove': 'Member removed',
  'user.create': 'Account created',
  'user.invite': 'Invitation link created',
  'user.reset': 'Password link created',
  'user.update': 'Account changed',
  'user.disable': 'Account disabled',
  'user.enable': 'Account enabled',
  'user.delete': 'Account deleted',
  'user.login': 'Logged in',
  'user.login_failed': 'Login failed',
  'user.logout': 'Logged out',
  'user.password': 'Password set',
  'key.create': 'API key created',
  'key.revoke': 'API key revoked',
  'saved_search.create': 'Search saved',
  'saved_search.update': 'Saved search renamed',
  'saved_search.delete': 'Saved search deleted',
  'webhook.create': 'Webhook added',
  'webhook.update': 'Webhook changed',
  'webhook.rotate': 'Webhook secret renewed',
  'webhook.disable': 'Webhook turned off',
  'webhook.delete': 'Webhook removed',
  'application.create': 'Application registered',
  'application.update': 'Application changed',
  'application.rotate': 'Application secret renewed',
  'application.delete': 'Application deleted',
  'consent.give': 'Application connected',
  'consent.withdraw': 'Application disconnected',
  'model.use': 'Model chosen',
  'model.pull': 'Model downloaded',
  'model.remove': 'Index of a model removed',
  'settings.change': 'Settings changed',
  'backup.create': 'Backup taken',
  'backup.restore': 'Restored from a backup',
}

const FAILED: Badge = { tone: 'warning', text: 'Failed' }

function EventRow({ event }: { event: AuditEvent }) {
  const { time, action, actor, user, project, document, address, credential, details } = event
  const isAboutOther = user !== undefined && user.id !== actor?.id
  const named = (value: string) => <bdi>{value}</bdi>
  return (
    <Row
      title={LABELS[action]}
      badges={[action === 'user.login_failed' ? FAILED : null]}
      facts={[
        ['Time', <Time at={time} precise />],
        actor === null ? null : ['By', named(actor.email ?? actor.name)],
        isAboutOther ? ['User', named(user.email ?? user.name)] : null,
        document === undefined ? null : ['Document', named(document.name)],
        project === undefined ? null : ['Project', named(project.name)],
        address === null ? null : ['Address', named(address)],
        credential === null ? null : ['With', named(credentialText(credential))],
        ...Object.entries(details).map(([name, value]) => [name.replaceAll('_', ' '), named(detailText(value))] as const),
      ]}
    />
  )
}

function credentialText({ kind, name, last_four: lastFour }: NonNullable<AuditEvent['credential']>): string {
  const kinds = { session: 'a browser', key: 'key', application: 'application', command_line: 'the command line' }
  return [kinds[kind], name, lastFour === null ? null : `…${lastFour}`].filter((part) => part !== null).join(' ')
}

function detailText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
