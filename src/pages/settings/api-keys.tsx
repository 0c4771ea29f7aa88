import type { KeyScope } from '../../core/model.ts'
import { Choices, Confirm, ErrorSummary, Field, Form, hasErrors, Select, type FormState, FormButtons } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { Code, Copyable, Empty, Row, scopeChoices, ScopeNames, Time, type Badge, Copied } from '../parts.tsx'
import { paths } from '../paths.ts'
import { ProjectLimit, type ProjectLimitProps } from '../project-fields.tsx'
import { SettingsPage } from './frame.tsx'

export interface ApiKeyRow {
  id: string
  name: string
  scopes: readonly KeyScope[]
  /** Names of the projects that the key is limited to; null without a limit. */
  projects: readonly string[] | null
  lastFour: string
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
}

export interface ApiKeysProps extends SignedInProps {
  keys: readonly ApiKeyRow[]
}

const LEAD = 'An API key lets a program use the API in your name.'

/** `/settings/api-keys`. */
export function renderApiKeys({ keys, ...page }: ApiKeysProps): string {
  const create = (
    <a class="button primary" href={paths.apiKeyNew}>
      New API key
    </a>
  )
  return html(
    <SettingsPage page={page} tab="API Keys" lead={LEAD} {...(keys.length === 0 ? {} : { action: create })}>
      {keys.length === 0 ? (
        <Empty title="No API keys yet" action={create}>
          Create one for a script, a scheduled upload or an assistant. You choose what it may do and how long it is valid.
        </Empty>
      ) : (
        <ul class="rows">
          {keys.map((key) => (
            <Row
              title={<bdi>{key.name}</bdi>}
              badges={[expiryBadge(key.expiresAt, page.now)]}
              facts={[
                ['Key', <code>dsk_…{key.lastFour}</code>],
                ['Created', <Time at={key.createdAt} />],
                ['Last used', key.lastUsedAt === null ? 'never' : <Time at={key.lastUsedAt} />],
                ['Expires', key.expiresAt === null ? 'never' : <Time at={key.expiresAt} />],
                ['Scopes', <ScopeNames scopes={key.scopes} />, 'alone'],
                key.projects === null ? null : ['Only projects', <bdi>{key.projects.join(', ') || 'none'}</bdi>, 'alone'],
              ]}
              actions={
                <a class="button danger-quiet" href={paths.apiKeyRevoke(key.id)} aria-label={`Revoke ${key.name}`}>
                  Revoke
                </a>
              }
            />
          ))}
        </ul>
      )}
      <p class="hint">
        The <a href={paths.docs}>API documentation</a> explains how to use a key.
      </p>
    </SettingsPage>,
  )
}

function expiryBadge(expiresAt: string | null, now: string): Badge | null {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.parse(now) ? { tone: 'bad', text: 'Expired' } : null
}

export interface ApiKeyNewProps extends SignedInProps {
  form: FormState<'name' | 'scopes' | 'reach' | 'projects' | 'expires_in_days'>
  /** The scopes to choose from. */
  scopes: readonly KeyScope[]
  /** The selected scopes. */
  chosenScopes: readonly KeyScope[]
  limit: Omit<ProjectLimitProps, 'form'>
}

/** Values in days; empty for never. */
const EXPIRIES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Never' },
]

/** `/settings/api-keys/new`: an empty form, or a form with errors. */
export function renderApiKeyNew({ form, scopes, chosenScopes, limit, ...page }: ApiKeyNewProps): string {
  return html(
    <SettingsPage page={page} tab="API Keys" title="New API key" failed={hasErrors(form)}>
      <ErrorSummary form={form} title="The key was not created" />
      <Form action={paths.apiKeys} csrf={page.csrf} class="narrow">
        <Field
          name="name"
          label="Name"
          form={form}
          hint="Say what the key is for, so that you recognise it later."
          autocomplete="off"
          maxLength={200}
          autofocus
        />
        <Choices
          name="scopes"
          label="What it may do"
          type="checkbox"
          form={form}
          choices={scopeChoices(scopes)}
          chosen={chosenScopes}
        />
        <ProjectLimit form={form} {...limit} />
        <Select
          name="expires_in_days"
          label="Expires after"
          form={form}
          choices={EXPIRIES}
          chosen={[form.values?.expires_in_days ?? '90']}
        />
        <FormButtons verb="Create key" cancel={paths.apiKeys} />
      </Form>
    </SettingsPage>,
  )
}

export interface ApiKeyCreatedProps extends SignedInProps {
  /** No other view shows it. */
  key: string
  name: string
  baseUrl: string
}

/** Shows the new key, once. */
export function renderApiKeyCreated({ key, name, baseUrl, ...page }: ApiKeyCreatedProps): string {
  return html(
    <SettingsPage page={page} tab="API Keys" title="Your new API key">
      <div class="notice success" role="status">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          was created. Copy the key now: it is not shown again.
        </p>
      </div>
      <Copyable
        id="key"
        label="API key"
        value={key}
        hint="Anyone who has the key can use your documents. Keep it secret, like a password."
      />
      <section aria-labelledby="try">
        <h2 id="try">Try it</h2>
        <p>
          Put the key into the variable <code>DOCSEARCH_TOKEN</code>. The command line reads it as well.
        </p>
        <Code label="Example">{`curl -H "Authorization: Bearer $DOCSEARCH_TOKEN" \\
     -H "Content-Type: application/json" \\
     -d '{"query": "notice period"}' \\
     ${baseUrl}/api/v1/search`}</Code>
      </section>
      <Copied next={paths.apiKeys} />
    </SettingsPage>,
  )
}

export interface ApiKeyRevokeProps extends SignedInProps {
  key: ApiKeyRow
}

/** Asks before a key is revoked. */
export function renderApiKeyRevoke({ key, ...page }: ApiKeyRevokeProps): string {
  return html(
    <SettingsPage page={page} tab="API Keys" title="Revoke this key?">
      <p class="lead">
        <strong>
          <bdi>{key.name}</bdi>
        </strong>{' '}
        (<code>dsk_…{key.lastFour}</code>) will stop working at once for every program that uses it. This cannot be undone.
      </p>
      <p>
        {key.lastUsedAt === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used on <Time at={key.lastUsedAt} precise />.
          </>
        )}
      </p>
      <Confirm action={paths.apiKeyRevoke(key.id)} csrf={page.csrf} verb="Revoke key" cancel={paths.apiKeys} />
    </SettingsPage>,
  )
}
