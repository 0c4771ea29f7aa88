import { authorizeQuery } from '../../contract/oauth.ts'
import type { Operation } from '../../contract/operation.ts'
import { paths } from '../../pages/paths.ts'

const redirect = 'Where the browser goes on'

/** The authorization endpoint, for whoever writes a client. A person meets it in a browser, so a page answers (web/authorize.ts). */
export const authorizeOperation: Operation = {
  operationId: 'authorize',
  method: 'GET',
  path: paths.authorize,
  tag: 'OAuth 2.0',
  summary: 'Send a browser here, to ask its user for access',
  description:
    'The user logs in, sees who asks for what, and agrees or not. Then the browser comes to `redirect_uri` with `code` or `error`, and with `state` and `iss` ' +
    '(RFC 9207). Neither an API key nor an access token can agree. An unknown application or address never redirects.',
  access: 'public',
  documentedQuery: authorizeQuery,
  errors: 'oauth',
  answers: {
    200: { description: 'The question to the user, as a page', type: 'text/html; charset=utf-8' },
    302: {
      description:
        'Refused: to `redirect_uri` with `error`, one of invalid_request, unsupported_response_type, invalid_scope, invalid_target',
      headers: { Location: redirect },
    },
    303: {
      description:
        'To the login, where nobody is logged in. After the answer, which the page posts: to `redirect_uri` with `code`, or `error=access_denied`',
      headers: { Location: redirect },
    },
    400: {
      description: 'A page that says why nothing can be sent back: invalid_client, invalid_redirect_uri, invalid_request',
      type: 'text/html; charset=utf-8',
    },
  },
}
