import type { Scope } from '../../core/model.ts'
import { ErrorSummary, Field, Form, hasErrors, type FormState } from '../form.tsx'
import { CardPage, html, type Viewer } from '../layout.tsx'
import { ScopeList, shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { ProjectLimit, type ProjectLimitProps } from '../project-fields.tsx'
import { Account, type AskingApplication, DecisionButtons, DocumentHost, noticeOfName } from './consent.tsx'

export interface DeviceCodeProps {
  csrf: string
  /** The `user_code` from the link, or the error of an unknown or expired code. */
  form: FormState<'user_code'>
}

/** `/device`: the user enters the code that another device shows (RFC 8628 section 3.3). */
export function renderDeviceCode({ csrf, form }: DeviceCodeProps): string {
  return html(
    <CardPage title="Connect a device" failed={hasErrors(form)}>
      <h1>Connect a device</h1>
      <p class="lead">Enter the code that your terminal or device shows.</p>
      <ErrorSummary form={form} title="This code doesn’t work" />
      <Form action={paths.device} csrf={csrf}>
        <Field
          name="user_code"
          label="Code"
          form={form}
          hint="Eight letters, such as BCDF-GHJK. Case, spaces and hyphens don’t matter."
          autocomplete="off"
          maxLength={40}
          code
          autofocus
        />
        <button class="primary" type="submit">
          Continue
        </button>
      </Form>
    </CardPage>,
  )
}

export interface DeviceConfirmProps extends AskingApplication {
  scopes: readonly Scope[]
  /** As the device shows it. The form sends it as `user_code`. */
  userCode: string
  viewer: Viewer
  csrf: string
  form: FormState<'reach' | 'projects'>
  limit: Omit<ProjectLimitProps, 'form'>
}

/** Asks the user whether the device that shows this code may have access. */
export function renderDeviceConfirm(props: DeviceConfirmProps): string {
  const { applicationName, scopes, userCode, viewer, csrf, form, limit } = props
  return html(
    <CardPage title={`Allow ${shortName(applicationName)}?`} wide failed={hasErrors(form)}>
      <h1>
        Allow <bdi>{shortName(applicationName)}</bdi> on another device?
      </h1>
      <ErrorSummary form={form} title="Nothing was allowed yet" />
      <p class="notice warning">
        {noticeOfName(props)}
        Continue only if you started this on your own device and it shows this code. Never allow a code that someone sent you.
      </p>
      <dl class="facts boxed">
        <div>
          <dt>Code</dt>
          <dd>
            <code class="host">{userCode}</code>
          </dd>
        </div>
        <div>
          <dt>Logged in as</dt>
          <dd>
            <Account viewer={viewer} csrf={csrf} returnTo={`${paths.device}?${new URLSearchParams({ user_code: userCode })}`} />
          </dd>
        </div>
        <DocumentHost {...props} />
      </dl>
      <ScopeList scopes={scopes} alsoDenied={['See or change your password']} />
      <Form action={paths.deviceDecision} csrf={csrf} hidden={{ user_code: userCode }}>
        <ProjectLimit form={form} {...limit} />
        <DecisionButtons />
      </Form>
      <p class="hint">You can end this access at any time under Settings, Connected applications.</p>
    </CardPage>,
  )
}

export interface DeviceDoneProps {
  /** `ended`: the code was already used, or has expired in the meantime. */
  outcome: 'allowed' | 'denied' | 'ended'
  applicationName: string | null
}

/** Confirms the decision. */
export function renderDeviceDone({ outcome, applicationName }: DeviceDoneProps): string {
  const who = applicationName === null ? 'The device' : shortName(applicationName)
  const words = {
    allowed: {
      title: 'The device is connected',
      text: `${who} continues within a few seconds. You can close this window.`,
    },
    denied: { title: 'Access denied', text: `${who} gets no access. You can close this window.` },
    ended: {
      title: 'This code is no longer valid',
      text: 'It was already used, or it has expired. Start again on the device to get a new code.',
    },
  }[outcome]
  return html(
    <CardPage title={words.title} failed={outcome === 'ended'}>
      <h1>{words.title}</h1>
      <p class="lead">{words.text}</p>
      <p>
        {outcome === 'allowed' ? (
          <a class="button" href={paths.connections}>
            Connected applications
          </a>
        ) : (
          <a class="button" href={paths.device}>
            Enter another code
          </a>
        )}
      </p>
    </CardPage>,
  )
}
