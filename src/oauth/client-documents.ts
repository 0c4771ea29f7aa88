import pLimit from 'p-limit'
import { z } from 'zod'
import { isPublicAddress } from '../core/addresses.ts'
import type { Clock } from '../core/clock.ts'
import { type Answer, exchange } from '../core/http-fetch.ts'
import type { Logger } from '../core/logger.ts'
import { LruCache } from '../core/lru-cache.ts'
import type { ApplicationRecord } from '../core/model.ts'
import type { AllowedCallbacks } from '../core/oauth-policy.ts'
import type { ClientDocuments } from './context.ts'
import { OAuthError } from './errors.ts'
import { isAllowedRedirectUri } from './redirect-uri.ts'
import { checkRegistration } from './register.ts'

const MAX_BYTES = 5 * 1024
const TIMEOUT_MS = 3_000
const MAX_ADDRESS_LENGTH = 1_000
const KEEP_MS = 10 * 60_000
const KEEP_FAILURE_MS = 60_000
/** For about a thousand documents. */
const CACHE_BYTES = 2_000_000
/** What an application takes in memory. */
const USUAL_BYTES = 2_000
/** Documents that may be fetched at the same time. */
const MAX_FETCHES = 8

const clientDocument = z.object({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
  scope: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
})

export type FetchDocument = (address: URL) => Promise<Answer>

interface Parts {
  callbacks: AllowedCallbacks
  clock: Clock
  log: Logger
  /** Default: fetchPublic. */
  fetchDocument?: FetchDocument | undefined
}

interface Remembered {
  document: Promise<ApplicationRecord>
  until: number
}

/** Remembers documents for 10 minutes, and failures for one, so that a user who reloads the page causes one request. */
export function createClientDocuments({ callbacks, clock, log, fetchDocument = fetchPublic }: Parts): ClientDocuments {
  const cache = new LruCache<Remembered>(CACHE_BYTES)
  const inTurn = pLimit(MAX_FETCHES)
  const now = () => clock.now().getTime()

  async function read(address: string): Promise<ApplicationRecord> {
    const url = checkedAddress(address)
    const answer = await inTurn(() => fetchDocument(url)).catch((error: unknown) => {
      // The application must not learn which names and ports of the local network answer, so it gets no reason.
      log.warn({ err: error, client_id: address }, 'could not fetch the document of an application')
      throw refused('The document at client_id could not be fetched. The log of the instance says why.')
    })
    return applicationOf(answer, url, callbacks, clock.now())
  }

  return {
    async get(address) {
      const remembered = cache.get(address)
      if (remembered !== undefined && remembered.until > now()) return remembered.document
      const entry: Remembered = { document: read(address), until: now() + KEEP_MS }
      entry.document.catch(() => (entry.until = now() + KEEP_FAILURE_MS))
      cache.set(address, entry, address.length + USUAL_BYTES)
      return entry.document
    },
  }
}

/** Returns whether the ID of an application is the address of a document. All other IDs are chosen by docsearch. */
export function isDocumentAddress(clientId: string): boolean {
  return clientId.startsWith('https://')
}

/** An address needs a path and has only one spelling, because it is compared by character (section 3 of the draft). */
function checkedAddress(address: string): URL {
  const url = address.length <= MAX_ADDRESS_LENGTH ? URL.parse(address) : null
  const isRight =
    url !== null &&
    url.href === address &&
    url.pathname !== '/' &&
    url.username === '' &&
    url.password === '' &&
    !address.includes('#') &&
    /^[a-z0-9.-]+$/.test(url.hostname)
  if (isRight) return url
  throw refused('client_id must be an address such as https://app.example.com/client.json: with a path, without a fragment.')
}

function fetchPublic(url: URL): Promise<Answer> {
  const init = { headers: { Accept: 'application/json' } }
  return exchange(url, init, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, isAllowedAddress: isPublicAddress })
}

/** Checks a document, and returns the application that it describes. Redirect addresses that docsearch does not accept are left out. */
function applicationOf(answer: Answer, url: URL, callbacks: AllowedCallbacks, at: Date): ApplicationRecord {
  if (answer.status !== 200) throw refused(`The address in client_id answers with status ${answer.status} instead of 200.`)
  if (!/^application\/(?:[a-z0-9.-]+\+)?json(?:;|$)/i.test(answer.contentType))
    throw refused('The document at client_id must have the content type application/json.')
  const { success, data } = clientDocument.safeParse(jsonOf(answer.body))
  if (!success) throw refused('The document at client_id must be a JSON object with client_id and redirect_uris.')
  if (data.client_id !== url.href) throw refused('client_id in the document differs from the address of the document.')
  const method = data.token_endpoint_auth_method ?? 'none'
  if (method !== 'none')
    throw refused('The document at client_id must have token_endpoint_auth_method none, because docsearch supports no other.')
  const { name, redirectUris, scopes, grantTypes } = checkRegistration(
    {
      ...data,
      client_name: data.client_name ?? url.hostname,
      redirect_uris: data.redirect_uris.filter((uri) => isAllowedRedirectUri(uri, callbacks)),
    },
    callbacks,
  )
  return {
    id: url.href,
    ownerId: null,
    name,
    type: 'public',
    redirectUris,
    scopes,
    grantTypes,
    createdAt: at,
    updatedAt: at,
    secrets: [],
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, which the schema reports.
    return undefined
  }
}

function refused(description: string): OAuthError {
  return new OAuthError('invalid_client', description)
}
