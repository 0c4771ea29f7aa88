import { waitText } from '../core/wait-text.ts'
import { destination } from './account/consent.tsx'
import { AppPage, html, VisitorPage, type SignedInProps } from './layout.tsx'
import { paths } from './paths.ts'
import { SEARCH_FIELDS, type SearchFields } from './search/fields.ts'

export interface ErrorPageProps {
  status: number
  /** The stable code, or the `error` of OAuth. */
  code: string
  detail: string
  requestId: string
  /** Only for a form that is out of date: the address that shows it again. */
  formAddress?: string | null
  /** Only for a view that may work later: its address, which has the question of a search. */
  againAddress?: string | null
  /** Only for an application that nobody here knows: the address at which it gets the error. */
  applicationAddress?: string | null
  /** Only for a 429 or a 503. */
  retryAfterSeconds?: number
  /** The user who is logged in, or the address of the login. */
  visitor: Pick<SignedInProps, 'viewer' | 'csrf' | 'glance'> | { login: string }
  /** The search in the address that failed. Its question stays in the search box. */
  search: SearchFields
}

/** Says what went wrong and what to do about it. */
export function renderError({ visitor, ...problem }: ErrorPageProps): string {
  const { title } = wordsFor(problem)
  const content = <Problem problem={problem} isVisitor={'login' in visitor} />
  if ('login' in visitor) {
    return html(
      <VisitorPage title={title} failed login={visitor.login}>
        {content}
      </VisitorPage>,
    )
  }
  return html(
    <AppPage title={title} failed place={null} {...visitor}>
      {content}
    </AppPage>,
  )
}

type Problem = Omit<ErrorPageProps, 'visitor'>

function Problem({ problem, isVisitor }: { problem: Problem; isVisitor: boolean }) {
  const { status, code, detail, requestId, search, applicationAddress = null } = problem
  const { title, help } = wordsFor(problem)
  return (
    <main id="main" class="problem">
      {isVisitor && !search.q ? null : <SearchBox search={search} />}
      <p class="status">{status}</p>
      <h1>{title}</h1>
      <p class="lead">{detail}</p>
      {help === '' ? null : <p>{help}</p>}
      {applicationAddress === null ? null : <ApplicationLink address={applicationAddress} />}
      <NextSteps {...problem} />
      <dl class="facts">
        <div>
          <dt>Code</dt>
          <dd>
            <code>{code}</code>
          </dd>
        </div>
        <div>
          <dt>Request ID</dt>
          <dd>
            <code>{requestId}</code>
          </dd>
        </div>
      </dl>
    </main>
  )
}

/** The question, with the filters of its search. A view of an error reads no projects, so it can't offer them. */
function SearchBox({ search }: { search: SearchFields }) {
  return (
    <form method="get" action={paths.home} role="search" class="search">
      <div class="ask">
        <label class="unseen" for="q">
          Search for
        </label>
        <input
          type="search"
          id="q"
          name="q"
          value={search.q ?? ''}
          required
          dir="auto"
          autocomplete="off"
          enterkeyhint="search"
        />
        <button type="submit">Search</button>
      </div>
      {SEARCH_FIELDS.map((name) =>
        name === 'q' || name === 'offset' || !search[name] ? null : <input type="hidden" name={name} value={search[name]} />,
      )}
    </form>
  )
}

function NextSteps({ againAddress = null, formAddress = null }: Pick<Problem, 'againAddress' | 'formAddress'>) {
  return (
    <p class="buttons">
      {againAddress === null ? null : (
        <a class="button primary" href={againAddress}>
          Try again
        </a>
      )}
      {formAddress === null ? (
        <a class="button" href={paths.home}>
          Go to search
        </a>
      ) : (
        <a class="button" href={formAddress}>
          Open the form again
        </a>
      )}
    </p>
  )
}

function ApplicationLink({ address }: { address: string }) {
  const { place } = destination(address)
  return (
    <p>
      Nobody here has checked the application that sent this request, so docsearch has not sent you back to it. To go there,
      follow this link:{' '}
      <a href={address} rel="noreferrer">
        Continue to <code class="host">{place}</code>
      </a>
    </p>
  )
}

const NOT_SENT_BACK =
  'docsearch did not send you back to the application, because it cannot trust the address that the application gave. Tell the developer of the application.'

const BY_CODE: Record<string, { title: string; help: string }> = {
  invalid_client: { title: 'Unknown application', help: NOT_SENT_BACK },
  host_not_allowed: { title: 'Unknown host name', help: '' },
  invalid_redirect_uri: { title: 'Return address not registered', help: NOT_SENT_BACK },
  // Its detail says when to try again.
  rate_limited: { title: 'Too many requests', help: '' },
  csrf_failed: {
    title: 'Request refused',
    help: 'Go back, reload the page and try again. Your browser must accept cookies from this site.',
  },
}

const BY_STATUS: Record<number, { title: string; help: string }> = {
  400: { title: 'Invalid request', help: 'Go back and start again.' },
  403: { title: 'Not allowed', help: '' },
  404: { title: 'Not found', help: 'It may have been deleted, or it may belong to another account.' },
  413: { title: 'Too large', help: 'Go back and send less at a time.' },
  422: { title: 'Not possible', help: 'Go back, change what you entered and try again.' },
  429: { title: 'Too many requests', help: '' },
  500: {
    title: 'Internal error',
    help: 'Try again. If the error persists, see the server log under the request ID below.',
  },
  503: { title: 'Unavailable at the moment', help: '' },
  507: { title: 'The disk is full', help: '' },
}

function wordsFor({ status, code, retryAfterSeconds }: Pick<Problem, 'status' | 'code' | 'retryAfterSeconds'>) {
  const words = BY_CODE[code] ?? BY_STATUS[status] ?? BY_STATUS[status >= 500 ? 500 : 400] ?? { title: 'Error', help: '' }
  return retryAfterSeconds === undefined || words === BY_CODE['rate_limited']
    ? words
    : { ...words, help: `Try again in ${waitText(retryAfterSeconds)}.` }
}
