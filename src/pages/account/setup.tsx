import type { LinkPurpose } from '../../core/model.ts'
import { ErrorSummary, Field, Form, hasErrors, type FormState } from '../form.tsx'
import { CardPage, html } from '../layout.tsx'
import { paths } from '../paths.ts'
import { NewPassword, type NewPasswordFields } from './new-password.tsx'

export interface SetupProps {
  purpose: LinkPurpose
  /** Of the one-time link; it goes along as the field `token`. */
  token: string
  csrf: string
  /** What the account has already. */
  name: string
  email: string | null
  form: FormState<'name' | 'email' | NewPasswordFields>
}

const WORDS: Record<LinkPurpose, { title: string; about: string; button: string }> = {
  setup: {
    title: 'Set up your instance',
    about: 'Make the account that owns this docsearch. With it you log in here, connect applications and invite others.',
    button: 'Create account',
  },
  invitation: {
    title: 'Welcome to docsearch',
    about: 'You were invited to search documents on this instance. Choose a password, and the account is yours.',
    button: 'Create account',
  },
  reset: {
    title: 'Choose a new password',
    about: 'The old password ends with this, and every browser that is logged in with it is logged out.',
    button: 'Save password',
  },
}

/** `/setup?token=…`: the first owner, somebody invited, or somebody who forgot. */
export function renderSetup({ purpose, token, csrf, name, email, form }: SetupProps): string {
  const { title, about, button } = WORDS[purpose]
  return html(
    <CardPage title={title} failed={hasErrors(form)}>
      <h1>{title}</h1>
      <p class="lead">{about}</p>
      <ErrorSummary form={form} title="Please look at this again" />
      <Form action={paths.setup} csrf={csrf} hidden={{ token }}>
        {purpose === 'reset' ? null : (
          <Field name="name" label="Name" form={form} initial={name} autocomplete="name" maxLength={200} autofocus />
        )}
        <Field
          name="email"
          label="Email"
          type="email"
          form={form}
          initial={email ?? ''}
          {...(purpose === 'setup' ? { hint: 'You log in with it. Nothing is ever sent to it.' } : {})}
          autocomplete="username"
          maxLength={254}
          readonly={purpose !== 'setup'}
        />
        <NewPassword form={form} />
        <button class="primary" type="submit">
          {button}
        </button>
      </Form>
    </CardPage>,
  )
}

export interface LinkEndedProps {
  /** What it was for, where that is still known. */
  purpose: LinkPurpose | null
}

/** The link is unknown, used or expired; which of these is nobody's business. */
export function renderLinkEnded({ purpose }: LinkEndedProps): string {
  return html(
    <CardPage title="This link is no longer good" failed>
      <h1>This link is no longer good</h1>
      <p class="lead">A link works once and for a limited time. If you have used it already, your account is ready.</p>
      <p>
        <a class="button primary" href={paths.login}>
          Log in
        </a>
      </p>
      <h2>To get a new link</h2>
      <dl class="steps">
        {purpose === 'invitation' || purpose === 'reset' ? null : (
          <>
            <dt>You set up this instance</dt>
            <dd>
              Stop <code>docsearch serve</code> and start it again: as long as the owner has no password, it prints a new link.
            </dd>
          </>
        )}
        <dt>Somebody invited you, or you forgot your password</dt>
        <dd>Ask the owner of this instance for a new link; it is made under Settings, then Users.</dd>
        <dt>You are the owner</dt>
        <dd>
          Run <code>docsearch users reset EMAIL</code> on the machine that has the data.
        </dd>
      </dl>
    </CardPage>,
  )
}
