/** What the operator lets applications do that log users in with OAuth. */
export interface OAuthPolicy {
  /** Whether applications may register themselves (RFC 7591). */
  canRegister: boolean
  /** Whether the ID of an application may be the address of a document about it (Client ID Metadata Documents), which docsearch then fetches. */
  clientDocuments: boolean
  callbacks: AllowedCallbacks
}

/** Redirect addresses that are allowed besides https, loopback and schemes such as `com.example.app`. */
export interface AllowedCallbacks {
  /** Whether http is allowed on private networks too. */
  privateHttp: boolean
  /** Schemes without a dot, such as `cursor`. Each is valid for isCallbackScheme. */
  schemes: readonly string[]
}

export const DEFAULT_OAUTH_POLICY: OAuthPolicy = {
  canRegister: true,
  clientDocuments: false,
  callbacks: { privateHttp: false, schemes: [] },
}

/** Schemes that browsers handle themselves. A code sent there reaches no application, or the page that the address contains. */
const SCHEMES_OF_BROWSERS = new Set(
  'about blob chrome data edge file filesystem ftp http https intent javascript mailto moz-extension resource sms tel vbscript view-source ws wss'.split(
    ' ',
  ),
)

/** Returns whether the operator may allow callbacks with this scheme: lower case, without a colon. */
export function isCallbackScheme(scheme: string): boolean {
  return /^[a-z][a-z0-9+-]*$/.test(scheme) && !SCHEMES_OF_BROWSERS.has(scheme)
}
