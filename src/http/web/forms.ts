import { z } from 'zod'
import { displayName, MAX_LIMIT_PROJECTS } from '../../contract/common.ts'
import { email as emailRule } from '../../contract/users.ts'
import { KEY_SCOPES, type KeyScope, type Scope, SCOPES } from '../../core/model.ts'
import type { FormState } from '../../pages/form.tsx'
import type { ProjectLimitProps } from '../../pages/project-fields.tsx'
import type { ListRequest, ResultPage } from '../../services/create.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ViewCall } from './routing/page.ts'

// Fields of several forms: the rules of the contract, with messages for the user who filled the form in.

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

/** The fields of pages/project-fields.tsx. */
export const projectLimitFields = {
  reach: z.enum(['all', 'some'], 'Choose one of the two.').default('all'),
  projects: z.array(z.string()),
}

interface Limit {
  reach: 'all' | 'some'
  projects: string[]
}

/** Returns what is wrong with the fields together, by field. Ticked projects without "only these" could mean either. */
export function limitErrors({ reach, projects }: Limit): NonNullable<FormState<'reach' | 'projects'>['errors']> {
  if (reach === 'all' && projects.length > 0) return { reach: 'You ticked projects. Choose to allow only these, or untick them.' }
  if (reach === 'some' && projects.length === 0) return { projects: 'Choose at least one project.' }
  if (projects.length > MAX_LIMIT_PROJECTS) return { projects: `Choose ${MAX_LIMIT_PROJECTS} projects at most.` }
  return {}
}

/** Returns the projects for the service; undefined for no limit. */
export function limitOf({ reach, projects }: Limit): string[] | undefined {
  return reach === 'all' ? undefined : projects
}

/** Returns what the view needs for the fields, with what was ticked. */
export async function limitProps(
  { actor, ctx }: ViewCall,
  projects: Dependencies['projects'],
): Promise<Omit<ProjectLimitProps, 'form'>> {
  const found = await listAll((page) => projects.list(actor, page))
  const choices = found.map(({ id, name, ownerName }) => ({ id, name, owner: ownerName }))
  return { projects: choices, chosen: ctx.state.form?.fields['projects'] ?? [] }
}

/** Returns all items of a list, for a view that shows all of them. */
export async function listAll<T>(list: (request: ListRequest) => Promise<ResultPage<T>>): Promise<T[]> {
  const found: T[] = []
  let request: ListRequest = { limit: 100 }
  for (;;) {
    const { items, nextCursor } = await list(request)
    found.push(...items)
    if (nextCursor === null) return found
    request = { ...request, cursor: nextCursor }
  }
}
