import { CardPage, html } from '../layout.tsx'
import { destination } from './consent.tsx'

export interface BackToApplicationProps {
  /** The redirect address of the application, with the answer in its query. */
  location: string
}

/**
 * Sends the browser to the application. The link is for browsers that ask before they open another program, and for browsers that
 * do not follow a refresh.
 */
export function renderBackToApplication({ location }: BackToApplicationProps): string {
  const { place } = destination(location)
  return html(
    <CardPage title="Back to the application" next={location}>
      <h1>Back to the application</h1>
      <p class="lead">
        Your browser goes to <code class="host">{place}</code>. You can close this window if the application is open.
      </p>
      <p>
        <a class="button primary" href={location}>
          Continue
        </a>
      </p>
    </CardPage>,
  )
}
