import { CardPage, html } from '../layout.tsx'
import { paths } from '../paths.ts'

export interface ErrorPageProps {
  status: number
  /** The stable code, or the `error` of OAuth. */
  code: string
  /** The problem's sentence. */
  detail: string
  requestId: string
  /** Of a 429. */
  retryAfterSeconds?: number
}

/** What went wrong, and what to do about it. */
export function renderError({ status, code, detail, requestId, retryAfterSeconds }: ErrorPageProps): string {
  const { title, help } = wordsFor(status, code, retryAfterSeconds)
  return html(
    <CardPage title={title} failed>
      <p class="status">{status}</p>
      <h1>{title}</h1>
      <p class="lead">{detail}</p>
      {help === '' ? null : <p>{help}</p>}
      <p>
        <a class="button" href={paths.home}>
          Go to the start page
        </a>
      </p>
      <dl class="facts">
        <div>
          <dt>Code</dt>
          <dd>
            <code>{code}</code>
          </dd>
        </div>
        <div>
          <dt>Request</dt>
          <dd>
            <code>{requestId}</code>
          </dd>
        </div>
      </dl>
    </CardPage>,
  )
}

const NOT_SENT_BACK =
  'You were not sent back to the application, because the address it gave cannot be trusted. Whoever runs it has to mend this.'

const BY_CODE: Record<string, { title: string; help: string }> = {
  invalid_client: { title: 'This application is not known here', help: NOT_SENT_BACK },
  host_not_allowed: { title: 'This instance does not answer to this address', help: '' },
  invalid_redirect_uri: { title: 'The application’s return address is not registered', help: NOT_SENT_BACK },
}

const BY_STATUS: Record<number, { title: string; help: string }> = {
  400: { title: 'This request is not right', help: 'Go back, and try it from the beginning.' },
  403: {
    title: 'This was not accepted',
    help: 'Go back, load the page anew and try again. Cookies have to be allowed for this site.',
  },
  404: { title: 'There is nothing here', help: 'It may have been deleted, or belong to another account.' },
  429: { title: 'Too many requests', help: '' },
  500: {
    title: 'Something went wrong on our side',
    help: 'Try again. If it stays like this, the log of the instance has more under the request below.',
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
