import { z } from 'zod'
import { invalid } from '../../../contract/validate.ts'
import { DocsearchError, type ErrorCode } from '../../../core/errors.ts'
import type { FormState } from '../../../pages/form.tsx'
import type { FormBody } from '../../routing/context.ts'

/** A form as a page needs it again: what was typed (never a password), and what is wrong with it by field. */
export interface Submitted<T, Name extends string> {
  /** Undefined where something is wrong that whoever typed it can mend. */
  data: T | undefined
  state: FormState<Name>
}

/**
 * Fields by a schema whose messages are sentences for people. Other fields are not looked at: extensions and password managers add some of
 * their own to forms. A field that is there twice is 400, but for one that is a list in the schema.
 */
export function submitted<S extends z.ZodObject>(
  schema: S,
  fields: FormBody['fields'],
): Submitted<z.output<S>, Extract<keyof z.output<S>, string>> {
  const input: Record<string, unknown> = {}
  const values: Record<string, string> = {}
  for (const [name, field] of Object.entries(schema.shape)) {
    const sent = fields[name] ?? []
    if (field instanceof z.ZodArray) input[name] = sent
    else if (sent.length > 1) throw invalid([{ path: name, message: 'was sent more than once' }])
    else if (sent[0] !== undefined) {
      input[name] = sent[0]
      if (!name.includes('password')) values[name] = sent[0]
    }
  }
  const result = schema.safeParse(input)
  const errors: Record<string, string> = {}
  for (const { path, message } of result.error?.issues ?? []) errors[String(path[0])] ??= message
  return { data: result.data, state: { values, errors } }
}

/**
 * The same form with what a service found wrong with it, at the field that its code belongs to; any other error goes on.
 */
export function withError<Name extends string>(
  state: FormState<Name>,
  error: unknown,
  fieldOf: Readonly<Partial<Record<ErrorCode, Name>>>,
): FormState<Name> {
  if (error instanceof DocsearchError) {
    const field = fieldOf[error.code]
    if (field !== undefined) return { ...state, errors: { ...state.errors, [field]: error.message } }
  }
  throw error
}
