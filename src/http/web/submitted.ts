import { z } from 'zod'
import { invalid } from '../../contract/validate.ts'
import { DocsearchError, type ErrorCode } from '../../core/errors.ts'
import type { FormState } from '../../pages/form.tsx'
import type { FormBody } from '../routing/context.ts'

/** A posted form: its data, and its state to show the form again with what was typed (never a password) and the errors by field. */
export interface Submitted<T, Name extends string> {
  /** Undefined when the user has to correct something. */
  data: T | undefined
  state: FormState<Name>
}

/**
 * Parses the fields of a form by a schema whose messages are sentences for the user. Other fields are ignored, because browser extensions and
 * password managers add fields of their own. A field that was sent twice throws `invalid_request`, unless the schema has a list there.
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
 * Returns the form's state with the error of a service at the field that `fieldOf` names for its code. Throws any other error.
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
