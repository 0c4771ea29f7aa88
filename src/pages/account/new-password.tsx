import { PASSWORD_LENGTH } from '../../core/model.ts'
import { Field, type FormState } from '../form.tsx'

export type NewPasswordFields = 'password' | 'password_again'

/** Asks for the new password twice, because without a script the page can't show what was typed. */
export function NewPassword({ form }: { form: FormState<NewPasswordFields> }) {
  return (
    <>
      <Field
        name="password"
        label="New password"
        type="password"
        form={form}
        hint={`At least ${PASSWORD_LENGTH.min} characters. A few unrelated words are better than symbols.`}
        autocomplete="new-password"
        minLength={PASSWORD_LENGTH.min}
      />
      <Field
        name="password_again"
        label="Repeat password"
        type="password"
        form={form}
        autocomplete="new-password"
        minLength={PASSWORD_LENGTH.min}
      />
    </>
  )
}
