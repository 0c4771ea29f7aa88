import type { LinkPurpose } from '../../core/model.ts'
import { Confirm, ErrorSummary, Field, Form, hasErrors, type FormState } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { Copyable, Row, Time, type Badge } from '../parts.tsx'
import { paths } from '../paths.ts'
import { SettingsPage } from './frame.tsx'

export interface UserRow {
  id: string
  name: string
  email: string | null
  role: 'owner' | 'member'
  /** `invited`: the user has no password yet. */
  state: 'active' | 'invited' | 'disabled'
  createdAt: string
  /** Null if the user never logged in. */
  lastLoginAt: string | null
  /** True for the user who sees this view. */
  isThis: boolean
}

export interface UsersProps extends SignedInProps {
  users: readonly UserRow[]
}

const STATES: Record<UserRow['state'], Badge | null> = {
  active: null,
  invited: { tone: 'warning', text: 'Invited' },
  disabled: { tone: 'bad', text: 'Disabled' },
}

/** `/settings/users`, for the owner. */
export function renderUsers({ users, ...page }: UsersProps): string {
  const invite = (
    <a class="button primary" href={paths.userInvite}>
      Invite user
    </a>
  )
  return html(
    <SettingsPage
      page={page}
      tab="Users"
      lead="Users with an account on this instance. Each user sees only their own documents."
      action={invite}
    >
      <ul class="rows">
        {users.map((user) => (
          <Row
            title={<bdi>{user.name === '' ? (user.email ?? 'No name') : user.name}</bdi>}
            badges={[
              user.role === 'owner' ? { tone: 'neutral', text: 'Owner' } : null,
              user.isThis ? { tone: 'good', text: 'You' } : null,
              STATES[user.state],
            ]}
            facts={[
              user.email === null || user.name === '' ? null : ['Email', <bdi>{user.email}</bdi>, 'alone'],
              ['Created', <Time at={user.createdAt} />],
              user.lastLoginAt === null ? null : ['Last login', <Time at={user.lastLoginAt} />],
            ]}
            {...(user.isThis ? {} : { actions: <UserActions user={user} csrf={page.csrf} /> })}
          />
        ))}
      </ul>
    </SettingsPage>,
  )
}

function UserActions({ user, csrf }: { user: UserRow; csrf: string }) {
  const who = user.email ?? user.name
  const link = user.state === 'invited' ? 'New link' : 'Reset link'
  return (
    <>
      {user.state === 'disabled' ? (
        <Form action={paths.userEnable(user.id)} csrf={csrf}>
          <button type="submit" aria-label={`Enable ${who}`}>
            Enable
          </button>
        </Form>
      ) : (
        <>
          <Form action={paths.userReset(user.id)} csrf={csrf}>
            <button type="submit" aria-label={`${link} for ${who}`}>
              {link}
            </button>
          </Form>
          <a class="button" href={paths.userDisable(user.id)} aria-label={`Disable ${who}`}>
            Disable
          </a>
        </>
      )}
      <a class="button danger-quiet" href={paths.userDelete(user.id)} aria-label={`Delete ${who}`}>
        Delete
      </a>
    </>
  )
}

export interface UserInviteProps extends SignedInProps {
  form: FormState<'email' | 'name'>
}

/** `/settings/users/invite`. */
export function renderUserInvite({ form, ...page }: UserInviteProps): string {
  return html(
    <SettingsPage
      page={page}
      tab="Users"
      title="Invite user"
      lead="docsearch sends no email, so you get a link to send to the user yourself."
      failed={hasErrors(form)}
    >
      <ErrorSummary form={form} title="The user was not invited" />
      <Form action={paths.userInvite} csrf={page.csrf} class="narrow">
        <Field name="email" label="Email" type="email" form={form} autocomplete="off" maxLength={254} autofocus />
        <Field name="name" label="Name" form={form} hint="The user can change it." autocomplete="off" maxLength={200} optional />
        <div class="buttons">
          <button class="primary" type="submit">
            Create link
          </button>
          <a class="button" href={paths.users}>
            Cancel
          </a>
        </div>
      </Form>
    </SettingsPage>,
  )
}

export interface UserLinkProps extends SignedInProps {
  who: string
  purpose: LinkPurpose
  /** No other view shows it. */
  link: string
  expiresAt: string
}

/** Shows the link of an invitation or a reset, once. */
export function renderUserLink({ who, purpose, link, expiresAt, ...page }: UserLinkProps): string {
  const title = purpose === 'reset' ? 'Link to choose a new password' : 'Invitation link'
  return html(
    <SettingsPage page={page} tab="Users" title={title}>
      <div class="notice success" role="status">
        <p>
          This link is for{' '}
          <strong>
            <bdi>{who}</bdi>
          </strong>
          . Copy it now: it is not shown again.
        </p>
      </div>
      <Copyable
        id="link"
        label="One-time link"
        value={link}
        hint="Anyone who opens this link can choose the password. Send it in a way that only the user can read."
      />
      <p>
        The link works once, until <Time at={expiresAt} precise />. A newer link replaces it.
      </p>
      <p>
        <a class="button primary" href={paths.users}>
          I have copied it
        </a>
      </p>
    </SettingsPage>,
  )
}

export interface UserDisableProps extends SignedInProps {
  user: { id: string; who: string }
}

/** Asks before a user is disabled. */
export function renderUserDisable({ user, ...page }: UserDisableProps): string {
  return html(
    <SettingsPage page={page} tab="Users" title="Disable this account?">
      <p class="lead">
        <strong>
          <bdi>{user.who}</bdi>
        </strong>{' '}
        is logged out everywhere, and their API keys and connected applications stop working. The documents stay, and you can
        enable the account again.
      </p>
      <Confirm action={paths.userDisable(user.id)} csrf={page.csrf} verb="Disable account" cancel={paths.users} />
    </SettingsPage>,
  )
}

export interface UserDeleteProps extends SignedInProps {
  user: { id: string; who: string }
  documents: number
}

/** Asks before a user is deleted, and says what is deleted with the user. */
export function renderUserDelete({ user, documents, ...page }: UserDeleteProps): string {
  return html(
    <SettingsPage page={page} tab="Users" title="Delete this account?">
      <p class="lead">
        <strong>
          <bdi>{user.who}</bdi>
        </strong>{' '}
        is deleted, with all projects, API keys and connected applications, {documentsGo(documents)}. This cannot be undone.
      </p>
      <Confirm action={paths.userDelete(user.id)} csrf={page.csrf} verb="Delete account" cancel={paths.users} />
    </SettingsPage>,
  )
}

function documentsGo(count: number): string {
  if (count === 0) return 'and has no documents'
  return count === 1 ? 'and one document' : `and ${new Intl.NumberFormat('en-GB').format(count)} documents`
}
