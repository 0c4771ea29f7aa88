import { ErrorSummary, Field, Form, hasErrors, type FormState } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { NewPassword, type NewPasswordFields } from '../account/setup.tsx'
import { Row, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { SettingsPage } from './frame.tsx'

export interface SessionRow {
  id: string
  userAgent: string
  address: string
  createdAt: string
  lastSeenAt: string
  /** True for the session that sees this view. */
  isThis: boolean
}

export interface ProfileProps extends SignedInProps {
  account: FormState<'name' | 'email'>
  password: FormState<'current_password' | NewPasswordFields>
  sessions: readonly SessionRow[]
}

/** `/settings/profile`. */
export function renderProfile({ account, password, sessions, ...page }: ProfileProps): string {
  return html(
    <SettingsPage page={page} tab="Profile" failed={hasErrors(account) || hasErrors(password)}>
      <AccountSection form={account} page={page} />
      <PasswordSection form={password} page={page} />
      <BrowsersSection sessions={sessions} csrf={page.csrf} />
    </SettingsPage>,
  )
}

function AccountSection({ form, page: { csrf, viewer } }: { form: ProfileProps['account']; page: SignedInProps }) {
  return (
    <section aria-labelledby="account">
      <h2 id="account">Account</h2>
      <ErrorSummary form={form} title="Your account was not saved" />
      <Form action={paths.profile} csrf={csrf} class="narrow">
        <Field name="name" label="Name" form={form} initial={viewer.name} autocomplete="name" maxLength={200} />
        <Field
          name="email"
          label="Email"
          type="email"
          form={form}
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
  )
}

function PasswordSection({ form, page: { csrf, viewer } }: { form: ProfileProps['password']; page: SignedInProps }) {
  return (
    <section aria-labelledby="change-password">
      <h2 id="change-password">Password</h2>
      <p>A new password logs out every other browser. API keys and connected applications keep working.</p>
      <ErrorSummary form={form} title="Your password was not changed" />
      <Form action={paths.password} csrf={csrf} class="narrow">
        {/* Tells a password manager which account the password belongs to. It has no name, so it is not sent. */}
        <input type="email" value={viewer.email ?? ''} autocomplete="username" readOnly hidden />
        <Field name="current_password" label="Current password" type="password" form={form} autocomplete="current-password" />
        <NewPassword form={form} />
        <button class="primary" type="submit">
          Change password
        </button>
      </Form>
    </section>
  )
}

function BrowsersSection({ sessions, csrf }: { sessions: readonly SessionRow[]; csrf: string }) {
  return (
    <section aria-labelledby="browsers">
      <div class="heading">
        <h2 id="browsers">Logged-in browsers</h2>
        {sessions.length < 2 ? null : (
          <Form action={paths.otherSessionsEnd} csrf={csrf}>
            <button type="submit">Log out all others</button>
          </Form>
        )}
      </div>
      <ul class="rows">
        {sessions.map((session) => (
          <Browser session={session} csrf={csrf} />
        ))}
      </ul>
    </section>
  )
}

function Browser({ session, csrf }: { session: SessionRow; csrf: string }) {
  const name = describeBrowser(session.userAgent)
  const logOut = (
    <Form action={paths.sessionEnd(session.id)} csrf={csrf}>
      <button type="submit" aria-label={`Log out ${name}, ${session.address}`}>
        Log out
      </button>
    </Form>
  )
  return (
    <Row
      heading="h3"
      title={name}
      badges={[session.isThis ? { tone: 'good', text: 'This browser' } : null]}
      facts={[
        ['IP address', <code>{session.address}</code>],
        ['Logged in', <Time at={session.createdAt} />],
        ['Last seen', <Time at={session.lastSeenAt} precise />],
      ]}
      {...(session.isThis ? {} : { actions: logOut })}
    />
  )
}

// The order matters: most browsers also claim to be the ones further down.
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Returns a User-Agent header in words, such as `Firefox on Linux`. An unknown header is returned as it is, but shortened. */
function describeBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser === undefined) return userAgent === '' ? 'Unknown browser' : userAgent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
