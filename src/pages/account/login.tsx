import { Field, Form } from '../form.tsx'
import { CardPage, html } from '../layout.tsx'
import { paths } from '../paths.ts'

export interface LoginProps {
  csrf: string
  /** Where to go after the login, checked by the caller. The form sends it as `return_to`. Null leads to the settings. */
  returnTo: string | null
  /** The email of the previous attempt. */
  email: string
  /** `wrong` covers an unknown account, a wrong password and a disabled account, because these must look the same. */
  failure: null | 'wrong' | { waitMinutes: number }
  /** Why the user has to log in, for example to connect an application. */
  notice: string | null
}

/** `/login`. */
export function renderLogin({ csrf, returnTo, email, failure, notice }: LoginProps): string {
  const form = { values: { email } }
  return html(
    <CardPage title="Log in" failed={failure !== null}>
      <h1>Log in</h1>
      {notice === null ? null : <p class="notice">{notice}</p>}
      {failure === null ? null : (
        <div class="notice error" role="alert" tabIndex={-1} autofocus>
          <p>{failure === 'wrong' ? 'The email or the password is wrong.' : waitText(failure.waitMinutes)}</p>
        </div>
      )}
      <Form action={paths.login} csrf={csrf} hidden={returnTo === null ? {} : { return_to: returnTo }}>
        <Field
          name="email"
          label="Email"
          type="email"
          form={form}
          autocomplete="username"
          maxLength={254}
          autofocus={failure === null}
        />
        <Field name="password" label="Password" type="password" form={{}} autocomplete="current-password" />
        <button class="primary" type="submit">
          Log in
        </button>
      </Form>
      <details>
        <summary>Forgot your password?</summary>
        <p>
          Ask the owner of this instance for a reset link. The owner creates it under Settings, Users. If you are the owner, run{' '}
          <code>docsearch users reset EMAIL</code> on the machine that has the data.
        </p>
      </details>
    </CardPage>,
  )
}

function waitText(minutes: number): string {
  return `Too many failed attempts. Try again in ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Until then, no password is accepted.`
}

/** `/logged-out`. */
export function renderLoggedOut(): string {
  return html(
    <CardPage title="Logged out">
      <h1>You are logged out</h1>
      <p class="lead">This browser no longer has access to your documents. Connected applications keep their access.</p>
      <p>
        <a class="button primary" href={paths.login}>
          Log in again
        </a>
      </p>
    </CardPage>,
  )
}
