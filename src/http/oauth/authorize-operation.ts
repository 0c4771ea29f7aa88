import { authorizeQuery } from '../../contract/oauth.ts'
import type { Operation } from '../../contract/operation.ts'
import { paths } from '../../pages/paths.ts'

const redirect = 'Where the browser goes next'

/** The authorization endpoint, for the API's description. A user opens it in a browser, so a page answers it: web/account/authorize.ts. */
export const authorizeOperation: Operation = {
  operationId: 'authorize',
  method: 'GET',
  path: paths.authorize,
  tag: 'OAuth 2.0',
  summary: 'Ask a user for access in their browser',
  description:
    'The application sends the browser here. The user logs in, sees which application asks for what, and allows or denies it. Then a page of ' +
    'docsearch sends the browser to `redirect_uri` with `code` or `error`, and with `state` and `iss` (RFC 9207). An API key or an access token cannot allow access. For an unknown ' +
    'application or address there is no redirect.',
  access: 'public',
  documentedQuery: authorizeQuery,
  errors: 'oauth',
  answers: {
    200: { description: 'The page that asks the user', type: 'text/html; charset=utf-8' },
    302: {
      description:
        'Refused: to `redirect_uri` with `error`, one of invalid_request, unsupported_response_type, invalid_scope, invalid_target',
      headers: { Location: redirect },
    },
    303: { description: 'If no user is logged in: to the login page', headers: { Location: redirect } },
    400: {
      description: 'A page that says why there is no redirect: invalid_client, invalid_redirect_uri, invalid_request',
      type: 'text/html; charset=utf-8',
    },
  },
}
