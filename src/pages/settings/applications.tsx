import type { Scope } from '../../core/model.ts'
import { Choices, Confirm, ErrorSummary, Field, Form, hasErrors, type FormState, FormButtons, Select } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { Empty, Row, scopeChoices, ScopeNames, Time, Copyable, Facts } from '../parts.tsx'
import { paths } from '../paths.ts'
import { SettingsPage } from './frame.tsx'

export type ApplicationType = 'confidential' | 'public'

export const TYPE_NAMES: Record<ApplicationType, string> = { confidential: 'Confidential', public: 'Public' }

export interface ApplicationRow {
  /** The `client_id`. */
  id: string
  name: string
  type: ApplicationType
  scopes: readonly Scope[]
  createdAt: string
}

export interface ApplicationsProps extends SignedInProps {
  applications: readonly ApplicationRow[]
}

/** `/settings/clients`. */
export function renderApplications({ applications, ...page }: ApplicationsProps): string {
  const create = (
    <a class="button primary" href={paths.applicationNew}>
      New application
    </a>
  )
  return html(
    <SettingsPage
      page={page}
      tab="Applications"
      lead="Applications that you registered. They can ask users of this instance for access."
      {...(applications.length === 0 ? {} : { action: create })}
    >
      {applications.length === 0 ? (
        <Empty title="No applications yet" action={create}>
          Register an application that you build or run. Its users can then allow it to use their documents.
        </Empty>
      ) : (
        <ul class="rows">
          {applications.map((application) => (
            <Row
              title={
                <a href={paths.application(application.id)}>
                  <bdi>{application.name}</bdi>
                </a>
              }
              badges={[{ tone: 'neutral', text: TYPE_NAMES[application.type] }]}
              facts={[
                ['Client ID', <code>{application.id}</code>],
                ['Created', <Time at={application.createdAt} />],
                ['Scopes', <ScopeNames scopes={application.scopes} />, 'alone'],
              ]}
            />
          ))}
        </ul>
      )}
    </SettingsPage>,
  )
}

export interface ApplicationFormProps extends SignedInProps {
  /** Null for a new application. The type of an existing one can't be changed. */
  application: { id: string; name: string; redirectUris: readonly string[] } | null
  /** `redirect_uris` has one address on each line. */
  form: FormState<'name' | 'type' | 'redirect_uris' | 'scopes'>
  scopes: readonly Scope[]
  chosenScopes: readonly Scope[]
}

const TYPES = [
  {
    value: 'confidential',
    label: 'Confidential: runs on a server',
    hint: 'It gets a secret, which it must keep to itself.',
  },
  {
    value: 'public',
    label: 'Public: runs on the user’s device',
    hint: 'A mobile, desktop or browser application. It gets no secret and uses PKCE.',
  },
]

/** `/settings/clients/new` and `/settings/clients/{id}/edit`. */
export function renderApplicationForm({ application, form, scopes, chosenScopes, ...page }: ApplicationFormProps): string {
  const isNew = application === null
  return html(
    <SettingsPage page={page} tab="Applications" title={isNew ? 'New application' : 'Edit application'} failed={hasErrors(form)}>
      <ErrorSummary form={form} title={isNew ? 'The application was not created' : 'The application was not saved'} />
      <Form action={isNew ? paths.applications : paths.applicationEdit(application.id)} csrf={page.csrf} class="narrow">
        <Field
          name="name"
          label="Name"
          form={form}
          initial={application?.name ?? ''}
          hint="Users see it when the application asks for access."
          autocomplete="off"
          maxLength={200}
          autofocus={isNew}
        />
        {isNew ? (
          <Choices
            name="type"
            label="Type"
            type="radio"
            form={form}
            choices={TYPES}
            chosen={[form.values?.type ?? 'confidential']}
          />
        ) : null}
        <Field
          name="redirect_uris"
          label="Redirect addresses"
          form={form}
          initial={application?.redirectUris.join('\n') ?? ''}
          hint="One address on each line, exactly as the application sends it. Use https, or http with a loopback address."
          autocomplete="off"
          lines={4}
          code
        />
        <Choices
          name="scopes"
          label="What it may ask for"
          type="checkbox"
          form={form}
          choices={scopeChoices(scopes)}
          chosen={chosenScopes}
        />
        <FormButtons
          verb={isNew ? 'Create application' : 'Save'}
          cancel={isNew ? paths.applications : paths.application(application.id)}
        />
      </Form>
    </SettingsPage>,
  )
}

export interface ApplicationDeleteProps extends SignedInProps {
  application: { id: string; name: string }
}

/** Asks before an application is deleted. */
export function renderApplicationDelete({ application, ...page }: ApplicationDeleteProps): string {
  return html(
    <SettingsPage page={page} tab="Applications" title="Delete this application?">
      <p class="lead">
        <strong>
          <bdi>{application.name}</bdi>
        </strong>{' '}
        (<code>{application.id}</code>) will be disconnected from every user at once, and its secrets will stop working. This
        cannot be undone.
      </p>
      <Confirm
        action={paths.applicationDelete(application.id)}
        csrf={page.csrf}
        verb="Delete application"
        cancel={paths.application(application.id)}
      />
    </SettingsPage>,
  )
}

interface ApplicationSecretRow {
  lastFour: string
  createdAt: string
  /** When a replaced secret stops working; null for the current secret. */
  expiresAt: string | null
}

interface ApplicationProps extends SignedInProps {
  application: ApplicationRow & { redirectUris: readonly string[]; secrets: readonly ApplicationSecretRow[] }
  baseUrl: string
}

/** `/settings/clients/{id}`: everything that the developer of the application needs, except the secret. */
export function renderApplication({ application, baseUrl, ...page }: ApplicationProps): string {
  const edit = (
    <a class="button" href={paths.applicationEdit(application.id)}>
      Edit
    </a>
  )
  return html(
    <SettingsPage page={page} tab="Applications" title={application.name} action={edit}>
      <section aria-label="About">
        <div class="boxed">
          <Facts
            facts={[
              ['Client ID', <code>{application.id}</code>],
              ['Type', TYPE_NAMES[application.type]],
              ['May ask for', <ScopeNames scopes={application.scopes} />],
              ['Created', <Time at={application.createdAt} />],
              [
                'Redirect addresses',
                <ul class="plain">
                  {application.redirectUris.map((uri) => (
                    <li>
                      <code>{uri}</code>
                    </li>
                  ))}
                </ul>,
              ],
            ]}
          />
        </div>
      </section>
      <Endpoints baseUrl={baseUrl} />
      {application.type === 'public' ? null : <Secrets application={application} page={page} />}
      <section aria-labelledby="delete">
        <h2 id="delete">Delete</h2>
        <p>If you delete this application, every user who allowed it is disconnected from it.</p>
        <a class="button danger-quiet" href={paths.applicationDelete(application.id)}>
          Delete application
        </a>
      </section>
    </SettingsPage>,
  )
}

function Endpoints({ baseUrl }: { baseUrl: string }) {
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints">Endpoints</h2>
      <p>Most libraries need only the issuer and find the other endpoints themselves.</p>
      <div class="boxed">
        <Facts
          facts={[
            ['Issuer', <code>{baseUrl}</code>],
            ['Authorization', <code>{`${baseUrl}/api/oauth/authorize`}</code>],
            ['Token', <code>{`${baseUrl}/api/oauth/token`}</code>],
            ['Metadata', <code>{`${baseUrl}/.well-known/oauth-authorization-server`}</code>],
          ]}
        />
      </div>
    </section>
  )
}

/** Values in seconds, from 0 to 30 days. */
const GRACES = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'After one hour' },
  { value: '86400', label: 'After one day' },
  { value: '604800', label: 'After 7 days' },
  { value: '2592000', label: 'After 30 days' },
]

function Secrets({ application, page }: { application: ApplicationProps['application']; page: SignedInProps }) {
  return (
    <section aria-labelledby="secrets">
      <h2 id="secrets">Client secrets</h2>
      <ul class="rows">
        {application.secrets.map((secret) => {
          const hasExpired = secret.expiresAt !== null && Date.parse(secret.expiresAt) <= Date.parse(page.now)
          return (
            <Row
              heading="h3"
              title={<code>dss_…{secret.lastFour}</code>}
              badges={[
                secret.expiresAt === null
                  ? { tone: 'good', text: 'Current' }
                  : hasExpired
                    ? { tone: 'bad', text: 'Expired' }
                    : { tone: 'warning', text: 'Previous' },
              ]}
              facts={[
                ['Created', <Time at={secret.createdAt} />],
                secret.expiresAt === null
                  ? null
                  : [hasExpired ? 'Expired' : 'Valid until', <Time at={secret.expiresAt} precise />],
              ]}
            />
          )
        })}
      </ul>
      <Form action={paths.applicationRotate(application.id)} csrf={page.csrf} class="narrow">
        <Select
          name="grace_seconds"
          label="Current secret stops working"
          form={{}}
          choices={GRACES}
          chosen={['86400']}
          hint="When you create a new secret, give the application time to switch. Choose “At once” if the current secret may have leaked."
        />
        <button type="submit">New secret</button>
      </Form>
    </section>
  )
}

interface ApplicationSecretProps extends SignedInProps {
  application: { id: string; name: string }
  /** No other view shows it. Null for a public application, which has none. */
  secret: string | null
  /** When the previous secret stops working; null if there was none. */
  oldUntil: string | null
  baseUrl: string
}

/** Shows the secret of a new application, or a new secret, once. */
export function renderApplicationSecret({ application, secret, oldUntil, baseUrl, ...page }: ApplicationSecretProps): string {
  return html(
    <SettingsPage page={page} tab="Applications" title={oldUntil === null ? 'Your new application' : 'Your new client secret'}>
      <div class="notice success" role="status">
        <p>
          <strong>
            <bdi>{application.name}</bdi>
          </strong>{' '}
          {oldUntil === null ? 'was registered.' : 'has a new secret.'}
          {secret === null ? ' It is public and has no secret: it uses PKCE.' : ' Copy the secret now: it is not shown again.'}
        </p>
      </div>
      <Copyable id="client-id" label="Client ID" value={application.id} />
      {secret === null ? null : (
        <Copyable id="client-secret" label="Client secret" value={secret} hint="Keep it on your server, and nowhere else." />
      )}
      {oldUntil === null ? null : (
        <p>
          The previous secret works until <Time at={oldUntil} precise />.
        </p>
      )}
      <Endpoints baseUrl={baseUrl} />
      <p>
        <a class="button primary" href={paths.application(application.id)}>
          {secret === null ? 'Continue' : 'I have copied it'}
        </a>
      </p>
    </SettingsPage>,
  )
}
