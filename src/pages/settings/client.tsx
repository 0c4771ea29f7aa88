import { Form, Select } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { Copyable, Facts, Row, ScopeNames, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { CLIENT_TYPE_WORDS, type ClientRow } from './clients.tsx'
import { SettingsPage } from './frame.tsx'

export interface ClientSecretRow {
  lastFour: string
  createdAt: string
  /** When its grace ends; null for the newest. */
  expiresAt: string | null
}

export interface ClientProps extends SignedInProps {
  client: ClientRow & { redirectUris: readonly string[]; secrets: readonly ClientSecretRow[] }
  baseUrl: string
}

/** `/settings/clients/{id}`: all that whoever builds the application needs, but the secret. */
export function renderClient({ client, baseUrl, ...page }: ClientProps): string {
  const edit = (
    <a class="button" href={paths.clientEdit(client.id)}>
      Edit
    </a>
  )
  return html(
    <SettingsPage page={page} tab="OAuth clients" title={client.name} action={edit}>
      <section aria-label="About">
        <div class="boxed">
          <Facts
            facts={[
              ['Client id', <code>{client.id}</code>],
              ['Type', CLIENT_TYPE_WORDS[client.type]],
              ['May ask for', <ScopeNames scopes={client.scopes} />],
              ['Created', <Time at={client.createdAt} />],
              [
                'Redirect addresses',
                <ul class="plain">
                  {client.redirectUris.map((uri) => (
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
      {client.type === 'public' ? null : <Secrets client={client} page={page} />}
      <section aria-labelledby="delete">
        <h2 id="delete">Delete</h2>
        <p>Everybody who agreed to this application is disconnected from it.</p>
        <a class="button danger-quiet" href={paths.clientDelete(client.id)}>
          Delete client
        </a>
      </section>
    </SettingsPage>,
  )
}

function Endpoints({ baseUrl }: { baseUrl: string }) {
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints">Endpoints</h2>
      <p>Most libraries need only the issuer and find the rest by themselves.</p>
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

/** In seconds; between none and 30 days. */
const GRACES = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'After one hour' },
  { value: '86400', label: 'After one day' },
  { value: '604800', label: 'After 7 days' },
  { value: '2592000', label: 'After 30 days' },
]

function Secrets({ client, page }: { client: ClientProps['client']; page: SignedInProps }) {
  return (
    <section aria-labelledby="secrets">
      <h2 id="secrets">Client secrets</h2>
      <ul class="rows">
        {client.secrets.map((secret) => {
          const hasEnded = secret.expiresAt !== null && Date.parse(secret.expiresAt) <= Date.parse(page.now)
          return (
            <Row
              heading="h3"
              title={<code>dss_…{secret.lastFour}</code>}
              badges={[
                secret.expiresAt === null
                  ? { tone: 'good', text: 'Current' }
                  : hasEnded
                    ? { tone: 'bad', text: 'Ended' }
                    : { tone: 'warning', text: 'Previous' },
              ]}
              facts={[
                ['Created', <Time at={secret.createdAt} />],
                secret.expiresAt === null ? null : [hasEnded ? 'Ended' : 'Good until', <Time at={secret.expiresAt} precise />],
              ]}
            />
          )
        })}
      </ul>
      <Form action={paths.clientRotate(client.id)} csrf={page.csrf} class="narrow">
        <Select
          name="grace_seconds"
          label="Make a new secret; the current one ends"
          form={{}}
          choices={GRACES}
          chosen={['86400']}
          hint="Time to give the new one to the application. Choose “At once” if somebody else has the old one."
        />
        <button type="submit">New secret</button>
      </Form>
    </section>
  )
}

export interface ClientSecretProps extends SignedInProps {
  client: { id: string; name: string }
  /** Shown on this answer only. Null for a public client, which has none. */
  secret: string | null
  /** Until when the secret before it is good; null where there was none. */
  oldUntil: string | null
  baseUrl: string
}

/** The answer to registration and to a new secret: the only time the secret is shown. */
export function renderClientSecret({ client, secret, oldUntil, baseUrl, ...page }: ClientSecretProps): string {
  return html(
    <SettingsPage page={page} tab="OAuth clients" title={oldUntil === null ? 'Your new OAuth client' : 'Your new client secret'}>
      <div class="notice success" role="status">
        <p>
          <strong>
            <bdi>{client.name}</bdi>
          </strong>{' '}
          {oldUntil === null ? 'was registered.' : 'has a new secret.'}
          {secret === null ? ' It is public and has no secret: it uses PKCE.' : ' Copy the secret now: it is not shown again.'}
        </p>
      </div>
      <Copyable id="client-id" label="Client id" value={client.id} />
      {secret === null ? null : (
        <Copyable id="client-secret" label="Client secret" value={secret} hint="It belongs on your server and nowhere else." />
      )}
      {oldUntil === null ? null : (
        <p>
          The secret before it is good until <Time at={oldUntil} precise />.
        </p>
      )}
      <Endpoints baseUrl={baseUrl} />
      <p>
        <a class="button primary" href={paths.client(client.id)}>
          {secret === null ? 'Go on' : 'I have copied it'}
        </a>
      </p>
    </SettingsPage>,
  )
}
