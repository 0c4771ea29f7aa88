import type { Scope } from '../../core/model.ts'
import { Choices, Confirm, ErrorSummary, Field, Form, hasErrors, type FormState } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { Empty, Row, scopeChoices, ScopeNames, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { SettingsPage } from './frame.tsx'

export type ClientType = 'confidential' | 'public'

export const CLIENT_TYPE_WORDS: Record<ClientType, string> = { confidential: 'Confidential', public: 'Public' }

export interface ClientRow {
  /** The `client_id`. */
  id: string
  name: string
  type: ClientType
  scopes: readonly Scope[]
  createdAt: string
}

export interface ClientsProps extends SignedInProps {
  clients: readonly ClientRow[]
}

/** `/settings/clients`. */
export function renderClients({ clients, ...page }: ClientsProps): string {
  const create = (
    <a class="button primary" href={paths.clientNew}>
      New OAuth client
    </a>
  )
  return html(
    <SettingsPage
      page={page}
      tab="OAuth clients"
      lead="Applications that you registered, so that they may ask people here for access."
      {...(clients.length === 0 ? {} : { action: create })}
    >
      {clients.length === 0 ? (
        <Empty title="No OAuth clients yet" action={create}>
          Register an application that you build or run, and it can send people here to log in and agree.
        </Empty>
      ) : (
        <ul class="rows">
          {clients.map((client) => (
            <Row
              title={
                <a href={paths.client(client.id)}>
                  <bdi>{client.name}</bdi>
                </a>
              }
              badges={[{ tone: 'neutral', text: CLIENT_TYPE_WORDS[client.type] }]}
              facts={[
                ['Client id', <code>{client.id}</code>],
                ['Created', <Time at={client.createdAt} />],
                ['Scopes', <ScopeNames scopes={client.scopes} />, 'alone'],
              ]}
            />
          ))}
        </ul>
      )}
    </SettingsPage>,
  )
}

export interface ClientFormProps extends SignedInProps {
  /** Null for a new one; its type cannot be changed. */
  client: { id: string; name: string; redirectUris: readonly string[] } | null
  /** `redirect_uris` holds one address a line. */
  form: FormState<'name' | 'type' | 'redirect_uris' | 'scopes'>
  scopes: readonly Scope[]
  chosenScopes: readonly Scope[]
}

const TYPES = [
  {
    value: 'confidential',
    label: 'Confidential: it runs on a server',
    hint: 'It gets a secret that nobody else can read.',
  },
  {
    value: 'public',
    label: 'Public: it runs with its user',
    hint: 'A mobile, desktop or browser application. It gets no secret and uses PKCE.',
  },
]

/** `/settings/clients/new` and `/settings/clients/{id}/edit`. */
export function renderClientForm({ client, form, scopes, chosenScopes, ...page }: ClientFormProps): string {
  const isNew = client === null
  return html(
    <SettingsPage
      page={page}
      tab="OAuth clients"
      title={isNew ? 'New OAuth client' : 'Edit OAuth client'}
      failed={hasErrors(form)}
    >
      <ErrorSummary form={form} title={isNew ? 'The client was not created' : 'Not saved'} />
      <Form action={isNew ? paths.clients : paths.clientEdit(client.id)} csrf={page.csrf} class="narrow">
        <Field
          name="name"
          label="Name"
          form={form}
          initial={client?.name ?? ''}
          hint="People see it when they are asked to agree."
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
          initial={client?.redirectUris.join('\n') ?? ''}
          hint="One a line, exactly as the application sends them. https, or http on this computer with any port."
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
        <div class="buttons">
          <button class="primary" type="submit">
            {isNew ? 'Create client' : 'Save'}
          </button>
          <a class="button" href={isNew ? paths.clients : paths.client(client.id)}>
            Cancel
          </a>
        </div>
      </Form>
    </SettingsPage>,
  )
}

export interface ClientDeleteProps extends SignedInProps {
  client: { id: string; name: string }
}

/** Asks before a client goes. */
export function renderClientDelete({ client, ...page }: ClientDeleteProps): string {
  return html(
    <SettingsPage page={page} tab="OAuth clients" title="Delete this OAuth client?">
      <p class="lead">
        <strong>
          <bdi>{client.name}</bdi>
        </strong>{' '}
        (<code>{client.id}</code>) is disconnected from everybody who agreed to it, at once, and its secrets end. This cannot be
        undone.
      </p>
      <Confirm action={paths.clientDelete(client.id)} csrf={page.csrf} verb="Delete client" cancel={paths.client(client.id)} />
    </SettingsPage>,
  )
}
