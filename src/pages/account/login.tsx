import { Field, Form } from '../form.tsx'
import { CardPage, html } from '../layout.tsx'
import { paths } from '../paths.ts'

export interface LoginProps {
  csrf: string
  /** Where to go afterwards, checked by the caller; sent as `return_to`. Null for the settings. */
  returnTo: string | null
  /** What was typed before. */
  email: string
  /** `wrong`: no such account, wrong password or disabled, which must look the same. */
  failure: null | 'wrong' | { waitMinutes: number }
  /** Why one is here, e.g. that an application wants to be connected. */
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
          <p>{failure === 'wrong' ? 'Email or password is not right.' : waitText(failure.waitMinutes)}</p>
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
          The owner of this instance can make you a link to choose a new one, under Settings, then Users. The owner runs{' '}
          <code>docsearch users reset EMAIL</code> on the machine that has the data.
        </p>
      </details>
    </CardPage>,
  )
}

function waitText(minutes: number): string {
  return `Too many attempts. Wait ${minutes === 1 ? 'one minute' : `${minutes} minutes`}, then try again; the right password will work then.`
}

/** `/logged-out`. */
export function renderLoggedOut(): string {
  return html(
    <CardPage title="Logged out">
      <h1>You are logged out</h1>
      <p class="lead">This browser has no access to your documents any more. Applications you connected keep theirs.</p>
      <p>
        <a class="button primary" href={paths.login}>
          Log in again
        </a>
      </p>
    </CardPage>,
  )
}
