import { z } from 'zod'
import { checkNewPassword } from '../../../auth/password-rules.ts'
import type { LinkPurpose, User } from '../../../core/model.ts'
import type { FormState } from '../../../pages/form.tsx'
import { renderLinkEnded, renderSetup } from '../../../pages/account/setup.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Dependencies } from '../../dependencies.ts'
import { email, name, NEW_PASSWORD_ERRORS, password, passwordsMatch } from '../forms.ts'
import { withError } from '../submitted.ts'
import type { View, ViewCall } from '../routing/page.ts'
import { beginSession } from '../session/session.ts'

type Fields = 'name' | 'email' | 'password' | 'password_again'

/** A field that this kind of link can't change: it keeps its value, whatever is sent. */
const ignored = z
  .string()
  .optional()
  .transform(() => undefined)

function formFor(purpose: LinkPurpose) {
  return z.object({
    token: z.string(),
    name: purpose === 'reset' ? ignored : name,
    email: purpose === 'setup' ? email : ignored,
    password,
    password_again: z.string().default(''),
  })
}

const ERROR_FIELDS = { ...NEW_PASSWORD_ERRORS, user_exists: 'email' } as const

/** The page of a one-time link, where the first owner, an invited user or a user who forgot the password sets one. */
export const setupPages = (parts: Pick<Dependencies, 'accounts' | 'settings'>): View[] => [
  {
    method: 'GET',
    path: paths.setup,
    access: 'anyone',
    isBeforeLogin: true,
    async handle(call) {
      const sent = call.ctx.query['token']
      const secret = typeof sent === 'string' ? sent : ''
      const link = await parts.accounts.findLink(secret)
      if (link === null) return linkEnded(call)
      call.show(renderSetup({ ...propsOf(secret, link), csrf: call.csrf, form: {} }))
    },
  },
  {
    method: 'POST',
    path: paths.setup,
    access: 'anyone',
    isBeforeLogin: true,
    formAddress: (field) => `${paths.setup}?${new URLSearchParams({ token: field('token') })}`,
    async handle(call) {
      const { ctx, submitted, csrf, show, goTo } = call
      const secret = ctx.state.form?.fields['token']?.[0] ?? ''
      const link = await parts.accounts.findLink(secret)
      if (link === null) return linkEnded(call)
      const again = (form: FormState<Fields>) => show(renderSetup({ ...propsOf(secret, link), csrf, form }), 422)
      const { data, state } = submitted(formFor(link.purpose))
      const errors = { ...passwordErrors(call, link.user, state), ...state.errors }
      if (data === undefined || Object.keys(errors).length > 0) return again({ ...state, errors })
      let user: User | null
      try {
        user = await parts.accounts.useLink(secret, {
          password: data.password,
          ...(data.name === undefined ? {} : { name: data.name }),
          ...(data.email === undefined ? {} : { email: data.email }),
        })
      } catch (error) {
        return again(withError(state, error, ERROR_FIELDS))
      }
      if (user === null) return linkEnded(call)
      await beginSession(ctx, parts, user)
      goTo(paths.home)
    },
  },
]

/** Returns what is wrong with the two passwords, so that the user learns all faults of the form at once. */
function passwordErrors({ ctx }: ViewCall, user: User, { values }: FormState<Fields>): FormState<Fields>['errors'] {
  const [password = '', again = ''] = ['password', 'password_again'].map((name) => ctx.state.form?.fields[name]?.[0] ?? '')
  const mismatch = passwordsMatch({ password, password_again: again })
  const errors = mismatch === null ? {} : { password_again: mismatch }
  try {
    checkNewPassword(password, { name: values?.name ?? user.name, email: values?.email ?? user.email })
    return errors
  } catch (error) {
    return withError<Fields>({ errors }, error, NEW_PASSWORD_ERRORS).errors
  }
}

function linkEnded({ show }: ViewCall): void {
  show(renderLinkEnded({ purpose: null }), 404)
}

function propsOf(token: string, { purpose, user }: { purpose: LinkPurpose; user: User }) {
  return { purpose, token, name: user.name, email: user.email }
}
