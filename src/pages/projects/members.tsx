import { EVERYONE, PROJECT_ROLES, type ProjectRole } from '../../core/model.ts'
import { Field, Form, Select, type FormState } from '../form.tsx'
import { Row } from '../parts.tsx'
import { paths } from '../paths.ts'
import { ROLE_WORDS, RoleBadge } from './frame.tsx'

/** `everyone` stands for all users of the instance. */
export interface ShownMember {
  user: { id: string; name: string; email: string | null } | typeof EVERYONE
  role: ProjectRole
}

export type MemberForm = FormState<'user' | 'role'>

export interface MembersProps {
  projectId: string
  csrf: string
  members: readonly ShownMember[]
  /** ID of the user who sees the view. */
  viewerId: string
  /** True for a manager of a project that can be shared. */
  canChange: boolean
  /** True if the viewer can invite users without an account: the owner of the instance. */
  canInvite: boolean
  form: MemberForm
}

/** The members of a project. Managers also get forms to add, change and remove them. Other members can leave. */
export function Members({ members, ...props }: MembersProps) {
  return (
    <>
      <ul class="rows">
        {members.map((member, at) => (
          <MemberRow {...props} member={member} at={at} />
        ))}
      </ul>
      {props.canChange && <AddMember {...props} />}
    </>
  )
}

interface RowProps extends Omit<MembersProps, 'members'> {
  member: ShownMember
  at: number
}

function MemberRow({ member: { user, role }, at, projectId, csrf, viewerId, canChange }: RowProps) {
  const isEveryone = user === EVERYONE
  const id = isEveryone ? EVERYONE : user.id
  const isViewer = id === viewerId
  const who = memberName(user)
  const roles = isEveryone ? PROJECT_ROLES.filter((one) => one !== 'manager') : PROJECT_ROLES
  const remove = (
    <a
      class="button danger-quiet"
      href={paths.projectMemberRemove(projectId, id)}
      aria-label={isViewer ? undefined : `Remove ${who}`}
    >
      {isViewer ? 'Leave' : 'Remove'}
    </a>
  )
  const actions = canChange ? (
    <>
      <Form action={paths.projectMembers(projectId)} csrf={csrf} hidden={{ user: id }} class="member-form">
        <label class="unseen" for={`role-of-${at}`}>
          Role of {who}
        </label>
        <select id={`role-of-${at}`} name="role">
          {roles.map((one) => (
            <option value={one} selected={one === role}>
              {ROLE_WORDS[one].name}
            </option>
          ))}
        </select>
        <button type="submit" aria-label={`Change the role of ${who}`}>
          Change
        </button>
      </Form>
      {remove}
    </>
  ) : isViewer ? (
    remove
  ) : undefined
  return (
    <Row
      heading="h3"
      title={
        <>
          <bdi>{isEveryone || user.name !== '' ? (isEveryone ? who : user.name) : who}</bdi> <RoleBadge role={role} />
        </>
      }
      badges={[isViewer ? { tone: 'neutral', text: 'You' } : null]}
      facts={[
        isEveryone ? ['Means', 'all present and future users of this instance'] : null,
        isEveryone || user.email === null ? null : ['Email', <bdi>{user.email}</bdi>, 'alone'],
      ]}
      {...(actions !== undefined && { actions })}
    />
  )
}

function AddMember({ projectId, csrf, form, canInvite }: Omit<MembersProps, 'members'>) {
  const hint = canInvite
    ? `Enter ${EVERYONE} to add all users. If nobody has the address, you get an invitation link to send.`
    : `Enter ${EVERYONE} to add all users of this instance.`
  return (
    <Form action={paths.projectMembers(projectId)} csrf={csrf} class="narrow">
      <h3>Add a member</h3>
      <Field name="user" label="Email" form={form} hint={hint} autocomplete="off" maxLength={254} />
      <Select
        name="role"
        label="Role"
        form={form}
        choices={PROJECT_ROLES.map((role) => ({ value: role, label: `${ROLE_WORDS[role].name}: ${ROLE_WORDS[role].can}` }))}
        chosen={[form.values?.role ?? 'reader']}
      />
      <button class="primary" type="submit">
        Add member
      </button>
    </Form>
  )
}

/** A member as messages and labels name them. */
export function memberName(user: ShownMember['user']): string {
  return user === EVERYONE ? 'Everyone' : (user.email ?? user.name)
}
