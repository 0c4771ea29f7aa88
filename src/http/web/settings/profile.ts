import { z } from 'zod'
import type { SessionRecord } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import { renderProfile, type ProfileProps, type SessionRow } from '../../../pages/settings/profile.tsx'
import type { Dependencies } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import { email, name, NEW_PASSWORD_ERRORS, password, passwordsMatch } from '../forms.ts'
import { withError } from '../submitted.ts'
import type { View, ViewCall } from '../routing/page.ts'
import { beginSession } from '../session/session.ts'

const accountForm = z.object({ name, email })
const passwordForm = z.object({ current_password: password, password, password_again: z.string().default('') })

type Parts = Pick<Dependencies, 'account' | 'accounts' | 'settings'>

export const profilePages = (parts: Parts): View[] => [
  {
    method: 'GET',
    path: paths.settings,
    handle: ({ goTo }) => goTo(paths.profile),
  },
  {
    method: 'GET',
    path: paths.profile,
    handle: (call) => showProfile(parts, call, {}),
  },
  {
    method: 'POST',
    path: paths.profile,
    async handle(call) {
      const { actor, submitted, goTo } = call
      const { data, state } = submitted(accountForm)
      if (data === undefined) return showProfile(parts, call, { account: state })
      try {
        await parts.account.update(actor, data)
      } catch (error) {
        return showProfile(parts, call, { account: withError(state, error, { user_exists: 'email' }) })
      }
      goTo(paths.profile, 'profile_saved')
    },
  },
  {
    method: 'POST',
    path: paths.password,
    async handle(call) {
      const { ctx, actor, user, submitted, goTo } = call
      const { data, state } = submitted(passwordForm)
      const again = (errors: NonNullable<ProfileProps['password']['errors']>) =>
        showProfile(parts, call, { password: { ...state, errors } })
      if (data === undefined) return again(state.errors ?? {})
      const mismatch = passwordsMatch(data)
      if (mismatch !== null) return again({ password_again: mismatch })
      try {
        const change = { current: data.current_password, password: data.password, address: ctx.ip }
        if (!(await parts.account.changePassword(actor, change)))
          return await again({ current_password: 'This is not your current password.' })
      } catch (error) {
        return showProfile(parts, call, { password: withError(state, error, NEW_PASSWORD_ERRORS) })
      }
      // This browser gets a new session too, so that a copy of its old cookie no longer works.
      await beginSession(ctx, parts, user)
      await parts.accounts.endOtherSessions(user.id, call.login.session.id)
      goTo(paths.profile, 'password_changed')
    },
  },
  {
    method: 'POST',
    path: paths.otherSessionsEnd,
    async handle({ login, user, goTo }) {
      await parts.accounts.endOtherSessions(user.id, login.session.id)
      goTo(paths.profile, 'sessions_ended')
    },
  },
  {
    method: 'POST',
    path: paths.sessionEnd(':id'),
    async handle({ user, id, goTo }) {
      if (!(await parts.accounts.endSession(user.id, id))) throw fail('not_found', 'That browser is not logged in.')
      goTo(paths.profile, 'session_ended')
    },
  },
]

async function showProfile(
  parts: Parts,
  call: ViewCall,
  failed: Partial<Pick<ProfileProps, 'account' | 'password'>>,
): Promise<void> {
  const { login, user, show, signedIn } = call
  const sessions = (await parts.accounts.listSessions(user.id)).map((session) => sessionRow(session, login.session.id))
  const status = Object.keys(failed).length === 0 ? 200 : 422
  show(renderProfile({ ...signedIn(), account: {}, password: {}, ...failed, sessions }), status)
}

function sessionRow({ id, userAgent, address, createdAt, lastSeenAt }: SessionRecord, thisId: string): SessionRow {
  return {
    id,
    userAgent,
    address,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    isThis: id === thisId,
  }
}
