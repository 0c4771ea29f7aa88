import { z } from 'zod'
import { displayName } from '../../../contract/common.ts'
import { email as emailRule } from '../../../contract/users.ts'
import { KEY_SCOPES, SCOPES, type KeyScope, type Scope } from '../../../core/model.ts'
import type { ViewCall } from '../routing/page.ts'

/** Fields of several forms: the rules of the contract, with messages for the user who filled the form in. */

export const name = z
  .string('Enter a name.')
  .trim()
  .min(1, 'Enter a name.')
  .refine((text) => displayName.safeParse(text).success, 'A name has at most 200 characters, and no control characters.')

/** Empty when nothing was typed: then the invited user chooses a name. */
export const optionalName = z.literal('').or(name).default('')

export const email = z
  .string('Enter an email address.')
  .trim()
  .min(1, 'Enter an email address.')
  .refine((text) => emailRule.safeParse(text).success, 'This is not an email address, such as name@example.org.')

/** auth/password-rules.ts decides whether a password is good enough. */
export const password = z.string('Enter a password.').min(1, 'Enter a password.')

export const scopes = z.array(z.enum(SCOPES, 'There is no such permission.')).min(1, 'Choose at least one permission.')

export const keyScopes = z.array(z.enum(KEY_SCOPES, 'There is no such permission.')).min(1, 'Choose at least one permission.')

/** Returns the scopes that were ticked, to show the form again. */
export function chosenScopes({ ctx }: ViewCall): Scope[] {
  const sent = ctx.state.form?.fields['scopes'] ?? []
  return SCOPES.filter((scope) => sent.includes(scope))
}

/** Like `chosenScopes`, for the form of an API key. */
export function chosenKeyScopes({ ctx }: ViewCall): KeyScope[] {
  const sent = ctx.state.form?.fields['scopes'] ?? []
  return KEY_SCOPES.filter((scope) => sent.includes(scope))
}

/** The field at which a form shows what is wrong with a new password. */
export const NEW_PASSWORD_ERRORS = {
  password_too_short: 'password',
  password_too_long: 'password',
  password_too_common: 'password',
} as const

/** Returns an error when the two password fields differ: a typing mistake that the user can't see. */
export function passwordsMatch(form: { password: string; password_again: string }): string | null {
  return form.password === form.password_again ? null : 'The two passwords are not the same.'
}

export const decision = z.enum(['allow', 'deny'], 'Choose one of the two.')
