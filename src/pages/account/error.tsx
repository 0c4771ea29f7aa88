import { CardPage, html } from '../layout.tsx'
import { paths } from '../paths.ts'

export interface ErrorPageProps {
  status: number
  /** The stable code, or the `error` of OAuth. */
  code: string
  detail: string
  requestId: string
  /** Only for a form that is out of date: the address that shows it again. */
  formAddress?: string | null
  /** Only for a 429. */
  retryAfterSeconds?: number
}

/** Says what went wrong and what to do about it. */
export function renderError({ status, code, detail, requestId, formAddress = null, retryAfterSeconds }: ErrorPageProps): string {
  const { title, help } = wordsFor(status, code, retryAfterSeconds)
  return html(
    <CardPage title={title} failed>
      <p class="status">{status}</p>
      <h1>{title}</h1>
      <p class="lead">{detail}</p>
      {help === '' ? null : <p>{help}</p>}
      <p>
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
    </CardPage>,
  )
}

const NOT_SENT_BACK =
  'docsearch did not send you back to the application, because it cannot trust the address that the application gave. Tell the developer of the application.'

const BY_CODE: Record<string, { title: string; help: string }> = {
  invalid_client: { title: 'Unknown application', help: NOT_SENT_BACK },
  host_not_allowed: { title: 'Unknown host name', help: '' },
  invalid_redirect_uri: { title: 'Return address not registered', help: NOT_SENT_BACK },
}

const BY_STATUS: Record<number, { title: string; help: string }> = {
  400: { title: 'Invalid request', help: 'Go back and start again.' },
  403: {
    title: 'Request refused',
    help: 'Go back, reload the page and try again. Your browser must accept cookies from this site.',
  },
  404: { title: 'Not found', help: 'It may have been deleted, or it may belong to another account.' },
  429: { title: 'Too many requests', help: '' },
  500: {
    title: 'Internal error',
    help: 'Try again. If the error persists, see the server log under the request ID below.',
  },
}

function wordsFor(status: number, code: string, retryAfterSeconds: number | undefined): { title: string; help: string } {
  const words = BY_CODE[code] ?? BY_STATUS[status] ?? BY_STATUS[status >= 500 ? 500 : 400] ?? { title: 'Error', help: '' }
  return retryAfterSeconds === undefined ? words : { ...words, help: `Try again in ${waiting(retryAfterSeconds)}.` }
}

function waiting(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? 'one second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
