import type { Scope } from '../../core/model.ts'
import { ErrorSummary, Field, Form, hasErrors, type FormState } from '../form.tsx'
import { CardPage, html, type Viewer } from '../layout.tsx'
import { ScopeList, shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { Account, DecisionButtons } from './consent.tsx'

export interface DeviceCodeProps {
  csrf: string
  /** `user_code`: filled in from the link, or what was wrong with it: unknown or expired. */
  form: FormState<'user_code'>
}

/** `/device`: the code that another device shows (RFC 8628 section 3.3). */
export function renderDeviceCode({ csrf, form }: DeviceCodeProps): string {
  return html(
    <CardPage title="Connect a device" failed={hasErrors(form)}>
      <h1>Connect a device</h1>
      <p class="lead">Type the code that your terminal or device shows.</p>
      <ErrorSummary form={form} title="That code does not work" />
      <Form action={paths.device} csrf={csrf}>
        <Field
          name="user_code"
          label="Code"
          form={form}
          hint="Eight letters, like BCDF-GHJK. It does not matter how you write them."
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

export interface DeviceConfirmProps {
  applicationName: string
  scopes: readonly Scope[]
  /** As the device shows it. Sent back as `user_code`, with `decision` `allow` or `deny`. */
  userCode: string
  viewer: Viewer
  csrf: string
}

/** Shall the device that shows this code have access? */
export function renderDeviceConfirm({ applicationName, scopes, userCode, viewer, csrf }: DeviceConfirmProps): string {
  return html(
    <CardPage title={`Allow ${shortName(applicationName)}?`} wide>
      <h1>
        Allow <bdi>{shortName(applicationName)}</bdi> on another device?
      </h1>
      <p class="notice warning">
        Only continue if you started this on your own device, and it shows this code. Nobody who helps you needs it.
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
            <Account viewer={viewer} />
          </dd>
        </div>
      </dl>
      <ScopeList scopes={scopes} besides={['See or change your password']} />
      <Form action={paths.deviceDecision} csrf={csrf} hidden={{ user_code: userCode }}>
        <DecisionButtons />
      </Form>
    </CardPage>,
  )
}

export interface DeviceDoneProps {
  /** `ended`: decided already or expired in the meantime. */
  outcome: 'allowed' | 'denied' | 'ended'
  applicationName: string | null
}

/** After the decision. */
export function renderDeviceDone({ outcome, applicationName }: DeviceDoneProps): string {
  const who = applicationName === null ? 'the device' : shortName(applicationName)
  const words = {
    allowed: {
      title: 'The device is connected',
      text: `Go back to it: ${who} goes on by itself within a few seconds. You can close this page.`,
    },
    denied: { title: 'Access denied', text: `Nothing was given to ${who}. You can close this page.` },
    ended: {
      title: 'This code is no longer good',
      text: 'It was used already, or its time is over. Start again on the device to get a new one.',
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
