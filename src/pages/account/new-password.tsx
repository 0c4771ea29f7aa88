import { PASSWORD_LENGTH } from '../../core/model.ts'
import { Field, type FormState } from '../form.tsx'

export type NewPasswordFields = 'password' | 'password_again'

/** A new password, twice: without a script nothing can show what was typed. */
export function NewPassword({ form }: { form: FormState<NewPasswordFields> }) {
  return (
    <>
      <Field
        name="password"
        label="New password"
        type="password"
        form={form}
        hint={`At least ${PASSWORD_LENGTH.least} characters. A few words that only you would put together are better than symbols.`}
        autocomplete="new-password"
        minLength={PASSWORD_LENGTH.least}
      />
      <Field
        name="password_again"
        label="The same again"
        type="password"
        form={form}
        autocomplete="new-password"
        minLength={PASSWORD_LENGTH.least}
      />
    </>
  )
}
