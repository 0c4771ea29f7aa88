import { ErrorSummary, Field, Form, hasErrors, type FormState } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { NewPassword, type NewPasswordFields } from '../account/new-password.tsx'
import { Row, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { describeBrowser } from './browser-name.ts'
import { SettingsPage } from './frame.tsx'

export interface SessionRow {
  id: string
  userAgent: string
  address: string
  createdAt: string
  lastSeenAt: string
  /** The one that looks at this page. */
  isThis: boolean
}

export interface ProfileProps extends SignedInProps {
  account: FormState<'name' | 'email'>
  password: FormState<'current_password' | NewPasswordFields>
  sessions: readonly SessionRow[]
}

/** `/settings/profile`. */
export function renderProfile({ account, password, sessions, ...page }: ProfileProps): string {
  const failed = hasErrors(account) || hasErrors(password)
  const { csrf, viewer } = page
  return html(
    <SettingsPage page={page} tab="Profile" failed={failed}>
      <section aria-labelledby="account">
        <h2 id="account">Account</h2>
        <ErrorSummary form={account} title="Not saved" />
        <Form action={paths.profile} csrf={csrf} class="narrow">
          <Field name="name" label="Name" form={account} initial={viewer.name} autocomplete="name" maxLength={200} />
          <Field
            name="email"
            label="Email"
            type="email"
            form={account}
            initial={viewer.email ?? ''}
            hint="You log in with it."
            autocomplete="email"
            maxLength={254}
          />
          <button class="primary" type="submit">
            Save
          </button>
        </Form>
      </section>
      <section aria-labelledby="change-password">
        <h2 id="change-password">Password</h2>
        <p>A new password logs out every other browser. API keys and connected applications stay.</p>
        <ErrorSummary form={password} title="Not changed" />
        <Form action={paths.password} csrf={csrf} class="narrow">
          {/* Tells a password manager whose password this is; it has no name and is not sent. */}
          <input type="email" value={viewer.email ?? ''} autocomplete="username" readOnly hidden />
          <Field
            name="current_password"
            label="Current password"
            type="password"
            form={password}
            autocomplete="current-password"
          />
          <NewPassword form={password} />
          <button class="primary" type="submit">
            Change password
          </button>
        </Form>
      </section>
      <section aria-labelledby="browsers">
        <div class="heading">
          <h2 id="browsers">Browsers that are logged in</h2>
          {sessions.length < 2 ? null : (
            <Form action={paths.otherSessionsEnd} csrf={csrf}>
              <button type="submit">Log out all others</button>
            </Form>
          )}
        </div>
        <ul class="rows">
          {sessions.map((session) => (
            <Row
              heading="h3"
              title={describeBrowser(session.userAgent)}
              badges={[session.isThis ? { tone: 'good', text: 'This browser' } : null]}
              facts={[
                ['Address', <code>{session.address}</code>],
                ['Since', <Time at={session.createdAt} />],
                ['Last seen', <Time at={session.lastSeenAt} precise />],
              ]}
              {...(session.isThis
                ? {}
                : {
                    actions: (
                      <Form action={paths.sessionEnd(session.id)} csrf={csrf}>
                        <button type="submit" aria-label={`Log out ${describeBrowser(session.userAgent)}, ${session.address}`}>
                          Log out
                        </button>
                      </Form>
                    ),
                  })}
            />
          ))}
        </ul>
      </section>
    </SettingsPage>,
  )
}
