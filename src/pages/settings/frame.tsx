import type { ComponentChildren } from 'preact'
import { AppPage, FlashMessage, type SignedInProps } from '../layout.tsx'
import { paths } from '../paths.ts'

const TABS = [
  { name: 'Profile', path: paths.profile, ownerOnly: false },
  { name: 'API Keys', path: paths.apiKeys, ownerOnly: false },
  { name: 'Connected applications', path: paths.connections, ownerOnly: false },
  { name: 'Applications', path: paths.applications, ownerOnly: false },
  { name: 'Audit log', path: paths.audit, ownerOnly: false },
  { name: 'Users', path: paths.users, ownerOnly: true },
  { name: 'Instance', path: paths.instance, ownerOnly: true },
] as const

export type Tab = (typeof TABS)[number]['name']

interface FrameProps {
  page: SignedInProps
  tab: Tab
  /** Default: the name of the tab. */
  title?: string
  /** One sentence that says what the view is for. */
  lead?: ComponentChildren
  /** Shown next to the heading. */
  action?: ComponentChildren
  failed?: boolean
  children: ComponentChildren
}

/** A settings view: tabs, heading, message, content. */
export function SettingsPage({ page, tab, title = tab, lead, action, failed, children }: FrameProps) {
  const own = TABS.find(({ name }) => name === tab)?.path ?? paths.settings
  const tabs = TABS.filter(({ ownerOnly }) => !ownerOnly || page.viewer.role === 'owner')
  return (
    <AppPage title={title} failed={failed} place="settings" {...page}>
      <div class="settings">
        <nav aria-label="Settings">
          <ul>
            {tabs.map(({ name, path }) => (
              <li>
                <a href={path} aria-current={name === tab ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="main">
          {title === tab ? null : (
            <p class="back">
              <a href={own}>{tab}</a>
            </p>
          )}
          <div class="heading">
            <h1>{title}</h1>
            {action}
          </div>
          {lead === undefined ? null : <p class="lead">{lead}</p>}
          <FlashMessage flash={page.flash} />
          {children}
        </main>
      </div>
    </AppPage>
  )
}
