import type { LinkPurpose, ProjectRole } from '../../core/model.ts'
import { countOf } from '../../core/count-of.ts'
import { Confirm, ErrorSummary, Field, Form, hasErrors, type FormState, FormButtons } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { OneTimeLink, Row, shortName, Time, type Badge } from '../parts.tsx'
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
  projectCount: number
  /** The projects among them that the viewer is a member of as well. */
  sharedProjects: readonly { id: string; name: string; role: ProjectRole }[]
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
      lead="Users with an account on this instance. Each user sees only the projects they are a member of."
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
              ['Projects', <UserProjects user={user} />, 'alone'],
            ]}
            {...(user.isThis ? {} : { actions: <UserActions user={user} csrf={page.csrf} /> })}
          />
        ))}
      </ul>
    </SettingsPage>,
  )
}

/** How many projects a user sees. Unfolds to the names that the viewer may know. */
function UserProjects({ user: { projectCount, sharedProjects } }: { user: UserRow }) {
  const shown = sharedProjects.slice(0, MAX_LISTED)
  const unnamed = sharedProjects.length - shown.length
  const hidden = projectCount - sharedProjects.length
  if (projectCount === 0) return <>none</>
  return (
    <details class="unfold">
      <summary>{countOf(projectCount, 'project')}</summary>
      <ul>
        {shown.map(({ id, name, role }) => (
          <li>
            <a href={paths.project(id)}>
              <bdi>{shortName(name)}</bdi>
            </a>
            , {role}
          </li>
        ))}
        {unnamed > 0 && <li>and {countOf(unnamed, 'more project')}</li>}
        {hidden > 0 && (
          <li>
            {shown.length > 0 && 'and '}
            {countOf(hidden, 'project')} that you cannot see
          </li>
        )}
      </ul>
    </details>
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
        <FormButtons verb="Create link" cancel={paths.users} />
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
      <OneTimeLink link={link} expiresAt={expiresAt} note="A newer link replaces it." next={paths.users} />
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
        will be logged out everywhere, and their API keys and connected applications will stop working. The documents stay, and
        you can enable the account again.
      </p>
      <Confirm action={paths.userDisable(user.id)} csrf={page.csrf} verb="Disable account" cancel={paths.users} />
    </SettingsPage>,
  )
}

export interface UserDeleteProps extends SignedInProps {
  user: { id: string; who: string }
  /** The private projects of the user. */
  projects: readonly { name: string; documents: number; trashed: number }[]
}

/** Asks before a user is deleted, and says what is deleted with the user. */
export function renderUserDelete({ user, projects, ...page }: UserDeleteProps): string {
  return html(
    <SettingsPage page={page} tab="Users" title="Delete this account?">
      <p class="lead">
        <strong>
          <bdi>{user.who}</bdi>
        </strong>{' '}
        will be deleted, with all API keys and connected applications
        {projects.length === 0 ? '. The user has no private projects.' : ', and with these private projects:'}
      </p>
      {projects.length > 0 && (
        <ul>
          {projects.slice(0, MAX_LISTED).map(({ name, documents, trashed }) => (
            <li>
              <bdi>{name}</bdi>, {countOf(documents, 'document')}
              {trashed > 0 && ` and ${trashed} in the trash`}
            </li>
          ))}
          {projects.length > MAX_LISTED && <li>and {countOf(projects.length - MAX_LISTED, 'more project')}</li>}
        </ul>
      )}
      <p>Projects with other members stay. This cannot be undone.</p>
      <Confirm action={paths.userDelete(user.id)} csrf={page.csrf} verb="Delete account" cancel={paths.users} />
    </SettingsPage>,
  )
}

/** A view lists at most this many projects of a user. */
const MAX_LISTED = 100
