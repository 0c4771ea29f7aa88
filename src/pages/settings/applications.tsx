import type { Scope } from '../../core/model.ts'
import { Choices, Confirm, ErrorSummary, Field, Form, hasErrors, type FormState, FormButtons } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { Empty, Row, scopeChoices, ScopeNames, Time } from '../parts.tsx'
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
