import { DocsearchError } from '../../core/errors.ts'
import { ClientError } from '../errors.ts'
import { createTransport } from '../transport.ts'
import type { Transport } from '../transport.ts'

/** The built-in client of every instance (contract 1.6): public, PKCE, loopback redirect. */
export const CLI_CLIENT_ID = 'docsearch-cli'

/** Who asks: a public client has no secret. */
export interface OAuthClient {
  id: string
  secret: string | null
}

type EndpointName = 'authorization' | 'token' | 'revocation' | 'introspection' | 'device_authorization'

/** The OAuth endpoints of one instance (RFC 8414). Nothing is sent anywhere but below its address. */
export interface OAuthInstance {
  address: string
  /** RFC 9207: an answer without `iss` is then refused. */
  sendsIssuer: boolean
  /** Absolute. Throws DocsearchError `oauth_unsupported` when the instance has none. */
  endpoint(name: EndpointName): string
  has(name: EndpointName): boolean
  /** Asks an endpoint as this client (RFC 6749 section 2.3.1: secret in the body). Throws ClientError; its code is the instance's `error`. */
  ask(name: EndpointName, client: OAuthClient, fields: Record<string, string>): Promise<Record<string, unknown> | null>
}

export interface InstanceOptions {
  address: string
  userAgent: string
  signal?: AbortSignal | undefined
  /** Milliseconds without a byte. */
  idleMs?: number
}

const CONNECT_MS = 10_000
const IDLE_MS = 30_000

/**
 * Reads the metadata of the instance at exactly this address.
 * Throws DocsearchError `wrong_issuer`, `oauth_unsupported`; ClientError.
 */
export async function discover({ address, userAgent, signal, idleMs = IDLE_MS }: InstanceOptions): Promise<OAuthInstance> {
  const transport = createTransport({ address, token: null, userAgent, connectMs: CONNECT_MS, idleMs })
  const metadata = await readMetadata(transport, signal)
  const issuer = metadata['issuer']
  // RFC 8414 section 3.3: whoever is not whom we asked may not say where codes and secrets go.
  if (issuer !== address) throw wrongIssuer(address, issuer)
  const has = (name: EndpointName) => metadata[`${name}_endpoint`] !== undefined

  function endpoint(name: EndpointName): string {
    const value = metadata[`${name}_endpoint`]
    if (value === undefined) {
      const what = name.replace('_', ' ')
      throw new DocsearchError('oauth_unsupported', `${address} offers no ${what}; log in with a key: ${withKey(address)}.`)
    }
    if (typeof value === 'string' && value.startsWith(`${address}/`) && !/[?#]/.test(value)) return value
    throw new ClientError('invalid_answer', `${address} names an OAuth endpoint that is not its own; nothing is sent there.`)
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
    throw new ClientError('invalid_answer', `${address} gives an empty answer where its OAuth metadata should be.`)
  } catch (error) {
    if (!(error instanceof ClientError) || ![401, 403, 404, 405].includes(error.status)) throw error
    throw new DocsearchError(
      'oauth_unsupported',
      `${address} has no login for the command line: it is an older docsearch, or none. With a key of its own: ${withKey(address)}.`,
      { cause: error },
    )
  }
}

function wrongIssuer(address: string, issuer: unknown): DocsearchError {
  if (typeof issuer !== 'string')
    return new ClientError('invalid_answer', `${address} does not say who it is in its OAuth metadata.`)
  return new DocsearchError(
    'wrong_issuer',
    `What answers at ${address} calls itself ${issuer}. Run \`docsearch login ${issuer}\` if that is the one you mean; ` +
      `to log in by the address you gave, its daemon needs \`serve --public-url ${address}\`.`,
  )
}

function withKey(address: string): string {
  return `\`docsearch login ${address} --with-token\``
}
