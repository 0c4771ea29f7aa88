import type { Scope } from '../../core/model.ts'
import { Confirm } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { Empty, Row, ScopeNames, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { SettingsPage } from './frame.tsx'

export interface ConnectionRow {
  clientId: string
  name: string
  scopes: readonly Scope[]
  /** Names of the projects that the application is limited to; null without a limit. */
  projects: readonly string[] | null
  since: string
  lastUsedAt: string | null
}

export interface ConnectionsProps extends SignedInProps {
  connections: readonly ConnectionRow[]
}

/** `/settings/connections`. */
export function renderConnections({ connections, ...page }: ConnectionsProps): string {
  return html(
    <SettingsPage page={page} tab="Connected applications" lead="Applications that you allowed to use your documents.">
      {connections.length === 0 ? (
        <Empty title="No connected applications">
          Applications that you allow to use your documents appear here, and so does <code>docsearch login</code>.
        </Empty>
      ) : (
        <ul class="rows">
          {connections.map((one) => (
            <Row
              title={<bdi>{one.name}</bdi>}
              facts={[
                ['Connected', <Time at={one.since} />],
                ['Last used', one.lastUsedAt === null ? 'never' : <Time at={one.lastUsedAt} />],
                ['Scopes', <ScopeNames scopes={one.scopes} />, 'alone'],
                one.projects === null ? null : ['Only projects', <bdi>{one.projects.join(', ') || 'none'}</bdi>, 'alone'],
              ]}
              actions={
                <a
                  class="button danger-quiet"
                  href={paths.connectionEnd(encodeURIComponent(one.clientId))}
                  aria-label={`Disconnect ${one.name}`}
                >
                  Disconnect
                </a>
              }
            />
          ))}
        </ul>
      )}
    </SettingsPage>,
  )
}

export interface ConnectionEndProps extends SignedInProps {
  connection: ConnectionRow
}

/** Asks before an application loses its access. */
export function renderConnectionEnd({ connection, ...page }: ConnectionEndProps): string {
  return html(
    <SettingsPage page={page} tab="Connected applications" title="Disconnect this application?">
      <p class="lead">
        <strong>
          <bdi>{connection.name}</bdi>
        </strong>{' '}
        will lose its access to your documents at once. To connect it again, start in the application.
      </p>
      <Confirm
        action={paths.connectionEnd(encodeURIComponent(connection.clientId))}
        csrf={page.csrf}
        verb="Disconnect"
        cancel={paths.connections}
      />
    </SettingsPage>,
  )
}
