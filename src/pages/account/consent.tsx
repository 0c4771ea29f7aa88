import type { Scope } from '../../core/model.ts'
import { ErrorSummary, Form, hasErrors, type FormState } from '../form.tsx'
import { CardPage, html, type Viewer } from '../layout.tsx'
import { ScopeList, shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { ProjectLimit, type ProjectLimitProps } from '../project-fields.tsx'

/** What a user learns about an application that asks for access, in a browser or for a device. */
export interface AskingApplication {
  /** The name that the registrant chose: shown, never trusted. */
  applicationName: string
  /** Nothing proves the identity of a public application. */
  clientType: 'confidential' | 'public'
  /** It registered itself, so nobody here has checked even its name. */
  isSelfRegistered: boolean
  /** The host of the document in which the application describes itself; null for an application that is registered here. */
  documentHost: string | null
}

export interface ConsentProps extends AskingApplication {
  /** Where the browser goes next; already checked against the registered addresses. */
  redirectUri: string
  scopes: readonly Scope[]
  viewer: Viewer
  csrf: string
  /**
   * The query of the authorization request. The form sends it back as the field `query`, and the server checks it again. The form
   * also sends the scopes, so that nobody allows more than this view has shown.
   */
  query: string
  form: FormState<'reach' | 'projects'>
  limit: Omit<ProjectLimitProps, 'form'>
}

/** `GET /api/oauth/authorize`: asks the user whether this application may have access. */
export function renderConsent(props: ConsentProps): string {
  const { applicationName, clientType, redirectUri, scopes, viewer, csrf, query, form, limit } = props
  const { place, isThisComputer } = destination(redirectUri)
  return html(
    <CardPage title={`Allow ${shortName(applicationName)}?`} wide failed={hasErrors(form)}>
      <h1>
        Allow <bdi>{shortName(applicationName)}</bdi> to use your documents?
      </h1>
      <ErrorSummary form={form} title="Nothing was allowed yet" />
      <dl class="facts boxed">
        <div>
          <dt>Logged in as</dt>
          <dd>
            <Account viewer={viewer} csrf={csrf} returnTo={`${paths.authorize}?${query}`} />
          </dd>
        </div>
        <DocumentHost {...props} />
        <div>
          <dt>Return address</dt>
          <dd>
            <code class="host">{place}</code>
            {isThisComputer ? <span class="hint">A program on this computer.</span> : null}
          </dd>
        </div>
      </dl>
      <ScopeList scopes={scopes} alsoDenied={['See or change your password']} />
      {clientType === 'public' || isThisComputer ? (
        <p class="notice warning">
          {noticeOfName(props)}
          Continue only if you started this yourself: docsearch cannot check who wrote this program.
        </p>
      ) : null}
      <Form action={paths.authorize} csrf={csrf} hidden={{ query, scope: scopes.join(' ') }}>
        <ProjectLimit form={form} {...limit} />
        <DecisionButtons />
      </Form>
      <p class="hint">You can end this access at any time under Settings, Connected applications.</p>
    </CardPage>,
  )
}

/** The fact where the document of an application is, if it has one. */
export function DocumentHost({ documentHost }: Pick<AskingApplication, 'documentHost'>) {
  return documentHost === null ? null : (
    <div>
      <dt>Application from</dt>
      <dd>
        <code class="host">{documentHost}</code>
      </dd>
    </div>
  )
}

/** Says who chose the name of the application, if nobody here did. */
export function noticeOfName({ isSelfRegistered, documentHost }: AskingApplication): string {
  if (documentHost !== null) return 'This application chose its own name. '
  return isSelfRegistered ? 'This application registered itself and chose its own name. ' : ''
}

/** The two buttons of the field `decision`, for a form that asks about access. */
export function DecisionButtons() {
  return (
    <div class="buttons">
      <button class="primary" type="submit" name="decision" value="allow">
        Allow
      </button>
      <button type="submit" name="decision" value="deny">
        Deny
      </button>
    </div>
  )
}

/** The account that the application would get access to. A user who logs in to another one returns to `returnTo`. */
export function Account({ viewer, csrf, returnTo }: { viewer: Viewer; csrf: string; returnTo: string }) {
  return (
    <>
      <span class="account">
        <bdi>{viewer.name}</bdi>
        {viewer.email === null || viewer.email === viewer.name ? null : <small>{viewer.email}</small>}
      </span>
      <Form action={paths.logout} csrf={csrf} hidden={{ return_to: returnTo }} class="inline">
        <button class="link" type="submit">
          Use another account
        </button>
      </Form>
    </>
  )
}

/** The host in its ASCII form, which shows look-alike letters, or the scheme if it belongs to an application. */
export function destination(redirectUri: string): { place: string; isThisComputer: boolean } {
  const url = URL.parse(redirectUri)
  if (url === null) return { place: redirectUri, isThisComputer: false }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { place: url.protocol, isThisComputer: true }
  return { place: url.host, isThisComputer: ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname) }
}
