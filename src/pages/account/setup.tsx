import { type LinkPurpose, PASSWORD_LENGTH } from '../../core/model.ts'
import { ErrorSummary, Field, Form, hasErrors, type FormState } from '../form.tsx'
import { CardPage, html } from '../layout.tsx'
import { paths } from '../paths.ts'

export interface SetupProps {
  purpose: LinkPurpose
  /** The token of the one-time link. The form sends it as `token`. */
  token: string
  csrf: string
  /** The name that the account already has. */
  name: string
  email: string | null
  form: FormState<'name' | 'email' | NewPasswordFields>
}

const WORDS: Record<LinkPurpose, { title: string; about: string; button: string }> = {
  setup: {
    title: 'Set up your instance',
    about: 'Create the owner’s account. Use it to log in, connect applications and invite other users.',
    button: 'Create account',
  },
  invitation: {
    title: 'Welcome to docsearch',
    about: 'You were invited to this instance. Choose a password to create your account.',
    button: 'Create account',
  },
  reset: {
    title: 'Choose a new password',
    about: 'The new password replaces the old one and logs out every browser.',
    button: 'Save password',
  },
}

/** `/setup?token=…`: for the first owner, an invited user, or a user who forgot the password. */
export function renderSetup({ purpose, token, csrf, name, email, form }: SetupProps): string {
  const { title, about, button } = WORDS[purpose]
  return html(
    <CardPage title={title} failed={hasErrors(form)}>
      <h1>{title}</h1>
      <p class="lead">{about}</p>
      <ErrorSummary form={form} title="Please correct this" />
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
          {...(purpose === 'setup' ? { hint: 'You log in with it. docsearch never sends email.' } : {})}
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
  /** What the link was for, if that is still known. */
  purpose: LinkPurpose | null
}

/** The link is unknown, used or expired. The page doesn't say which, because that would tell strangers which links exist. */
export function renderLinkEnded({ purpose }: LinkEndedProps): string {
  return html(
    <CardPage title="This link is no longer valid" failed>
      <h1>This link is no longer valid</h1>
      <p class="lead">A link works once and for a limited time. If you have already used it, your account is ready.</p>
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
              Stop <code>docsearch serve</code> and start it again. It prints a new link until the owner has a password.
            </dd>
          </>
        )}
        <dt>You were invited, or you forgot your password</dt>
        <dd>Ask the owner of this instance for a new link. The owner creates it under Settings, Users.</dd>
        <dt>You are the owner</dt>
        <dd>
          Run <code>docsearch users reset EMAIL</code> on the machine that has the data.
        </dd>
      </dl>
    </CardPage>,
  )
}

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
