import { DocsearchError } from '../../core/errors.ts'
import { ClientError } from '../errors.ts'
import { createTransport, type Connection, type Transport } from '../transport.ts'

/** The application that is built into every instance: public, with PKCE and a loopback redirect. */
export const CLI_CLIENT_ID = 'docsearch-cli'

/** The application that asks. A public application has no secret. */
export interface OAuthClient {
  id: string
  secret: string | null
}

type EndpointName = 'authorization' | 'token' | 'revocation' | 'introspection' | 'device_authorization'

/** The OAuth endpoints of one instance (RFC 8414). All of them must be below the instance's address. */
export interface OAuthInstance {
  address: string
  /** True when the instance promises `iss` (RFC 9207). A response without it is then refused. */
  sendsIssuer: boolean
  /** Returns an absolute URL. Throws DocsearchError `oauth_unsupported` when the instance lacks the endpoint. */
  endpoint(name: EndpointName): string
  has(name: EndpointName): boolean
  /** Calls an endpoint as this application, with its secret in the body (RFC 6749 section 2.3.1). Throws ClientError with the instance's `error` as its code. */
  ask(name: EndpointName, client: OAuthClient, fields: Record<string, string>): Promise<Record<string, unknown> | null>
}

export interface InstanceOptions extends Connection {
  address: string
  /** The data folder of this user's own daemon at this address; null for other instances. */
  dataDir: string | null
  signal?: AbortSignal | undefined
  /** Milliseconds without a byte. */
  idleMs?: number
}

const CONNECT_MS = 10_000
const IDLE_MS = 30_000

/**
 * Reads the OAuth metadata of the instance at exactly this address.
 * Throws DocsearchError `wrong_issuer`, `oauth_unsupported`; ClientError.
 */
export async function discover({
  address,
  dataDir,
  userAgent,
  certificates,
  signal,
  idleMs = IDLE_MS,
}: InstanceOptions): Promise<OAuthInstance> {
  const transport = createTransport({ address, dataDir, token: null, userAgent, certificates, connectMs: CONNECT_MS, idleMs })
  const metadata = await readMetadata(transport, signal)
  const issuer = metadata['issuer']
  // RFC 8414 section 3.3: only the expected issuer may say where codes and secrets are sent.
  if (issuer !== address) throw wrongIssuer(address, issuer)
  const has = (name: EndpointName) => metadata[`${name}_endpoint`] !== undefined

  function endpoint(name: EndpointName): string {
    const value = metadata[`${name}_endpoint`]
    if (value === undefined) {
      const what = name.replace('_', ' ')
      throw new DocsearchError(
        'oauth_unsupported',
        `${address} does not support ${what}. Log in with an API key: ${withKey(address)}.`,
      )
    }
    if (typeof value === 'string' && value.startsWith(`${address}/`) && !/[?#]/.test(value)) return value
    throw new ClientError('invalid_answer', `${address} names an OAuth endpoint at another address. Nothing was sent there.`)
  }

  return {
    address,
    sendsIssuer: metadata['authorization_response_iss_parameter_supported'] === true,
    has,
    endpoint,
    ask(name, client, fields) {
      const form: Record<string, string> = { ...fields, client_id: client.id }
      if (client.secret !== null) form['client_secret'] = client.secret
      return transport.json({ method: 'POST', path: endpoint(name).slice(address.length), form, signal })
    },
  }
}

async function readMetadata(transport: Transport, signal: AbortSignal | undefined): Promise<Record<string, unknown>> {
  const { address } = transport
  try {
    const path = '/.well-known/oauth-authorization-server'
    const metadata = await transport.json({ method: 'GET', path, signal })
    if (metadata !== null) return metadata
    throw new ClientError('invalid_answer', `${address} sent an empty response for its OAuth metadata.`)
  } catch (error) {
    if (!(error instanceof ClientError) || ![401, 403, 404, 405].includes(error.status)) throw error
    throw new DocsearchError(
      'oauth_unsupported',
      `${address} does not support the browser login. It may run an older docsearch, or none. Log in with an API key: ${withKey(address)}.`,
      { cause: error },
    )
  }
}

function wrongIssuer(address: string, issuer: unknown): DocsearchError {
  if (typeof issuer !== 'string') return new ClientError('invalid_answer', `The OAuth metadata of ${address} has no issuer.`)
  return new DocsearchError(
    'wrong_issuer',
    `The instance at ${address} calls itself ${issuer}. Run \`docsearch login ${issuer}\`, ` +
      `or start the server with \`docsearch serve --public-url ${address}\`.`,
  )
}

function withKey(address: string): string {
  return `\`docsearch login ${address} --with-token\``
}

/** How a login waits for the user. */
export interface Waiting {
  signal: AbortSignal
  /** Resolves after `ms` milliseconds, or when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export function timedOut(what: string): DocsearchError {
  return new DocsearchError('login_timed_out', `${what}. Try again with \`docsearch login\`.`)
}

/** Explains an `error` that the instance returned instead of a login (RFC 6749 section 4.1.2.1, RFC 8628 section 3.5). */
export function denied(error: string, description: string | null, address: string): DocsearchError {
  if (error === 'access_denied') return new DocsearchError('login_denied', `The login at ${address} was declined.`)
  const what = description ?? error.replaceAll('_', ' ')
  if (error === 'server_error') return new ClientError('server_error', `${address} failed: ${what}`, { status: 500 })
  if (error === 'temporarily_unavailable') return new ClientError(error, `${address} is busy: ${what}`, { status: 503 })
  return new DocsearchError('login_refused', `${address} refused the login: ${what}`)
}
