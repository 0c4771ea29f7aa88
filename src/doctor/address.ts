import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { getCACertificates, type TLSSocket } from 'node:tls'
import { finding, type Finding } from '../core/findings.ts'
import type { Check } from './scene.ts'

const ASK_MS = 10_000
const MAX_ANSWER_BYTES = 1_000_000
const WARN_DAYS = 14
const DAY_MS = 86_400_000
const CLOCK_TOLERANCE_MS = 120_000
const METADATA = '/.well-known/oauth-authorization-server'

interface Answer {
  status: number
  body: string
  date: Date | null
  certificateEnds: Date | null
}

/**
 * Asks an address for its health and its metadata for applications, as a new client would. `certificates` are further authorities to trust, in PEM.
 * `now` is the clock of this machine.
 */
export async function checkAddress(
  address: string,
  { now, certificates, signal }: { now: Date; certificates?: string | undefined; signal?: AbortSignal },
): Promise<Finding[]> {
  const url = new URL(address)
  const place = address
  const found: Finding[] = []
  if (url.protocol === 'http:' && !isLocal(url.hostname))
    found.push(finding('address_insecure', `${address} uses HTTP on an address that is not local.`, { place }))
  let health: Answer
  let metadata: Answer
  try {
    const base = url.href.replace(/\/$/, '')
    health = await ask(new URL(`${base}/api/v1/health`), { certificates, signal })
    // RFC 8414 puts the path of the issuer behind the well-known part.
    metadata = await ask(new URL(METADATA + url.pathname.replace(/\/$/, ''), url), { certificates, signal })
  } catch (error) {
    signal?.throwIfAborted()
    return [...found, failure(address, error as NodeJS.ErrnoException)]
  }
  if (!isHealth(health.body))
    found.push(
      finding('address_wrong', `${address} is answered by something else than docsearch (status ${health.status}).`, { place }),
    )
  else if (issuerOf(metadata) !== address.replace(/\/$/, ''))
    found.push(
      finding('address_wrong', `The metadata for applications at ${address} name the issuer ${issuerOf(metadata) ?? 'nobody'}.`, {
        place,
      }),
    )
  const { certificateEnds, date } = health
  if (certificateEnds !== null && certificateEnds.getTime() < now.getTime() + WARN_DAYS * DAY_MS)
    found.push(
      finding('certificate_expires', `The certificate of ${address} expires on ${certificateEnds.toISOString().slice(0, 10)}.`, {
        place,
      }),
    )
  if (date !== null && Math.abs(date.getTime() - now.getTime()) > CLOCK_TOLERANCE_MS)
    found.push(
      finding('clock_differs', `${address} says that it is ${date.toISOString()}, and this machine ${now.toISOString()}.`, {
        place,
      }),
    )
  return found
}

function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function failure(address: string, error: NodeJS.ErrnoException): Finding {
  const code = error.code ?? ''
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)
  return isCertificate
    ? finding('certificate_invalid', `The certificate of ${address} is not valid: ${error.message}.`, { place: address })
    : finding('address_unreachable', `${address} does not answer: ${error.message || code}.`, { place: address })
}

function isHealth(body: string): boolean {
  const answer = parse(body)
  return typeof answer?.['status'] === 'string' && typeof answer['version'] === 'string'
}

function issuerOf({ body }: Answer): string | null {
  const issuer = parse(body)?.['issuer']
  return typeof issuer === 'string' ? issuer : null
}

function parse(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    // Any server may answer at this address.
    return null
  }
}

function ask(
  url: URL,
  { certificates, signal }: { certificates: string | undefined; signal: AbortSignal | undefined },
): Promise<Answer> {
  const deadline = AbortSignal.timeout(ASK_MS)
  const options = {
    signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    headers: { accept: 'application/json' },
    // A separate connection, whose certificate can be read.
    agent: false as const,
    ...(certificates !== undefined && { ca: [...getCACertificates('default'), certificates] }),
  }
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
    request.once('error', reject)
    request.once('response', (response) => void read(response).then(resolve, reject))
    request.end()
  })
}

async function read(response: IncomingMessage): Promise<Answer> {
  const socket = response.socket as Partial<TLSSocket>
  const end = socket.getPeerCertificate?.().valid_to
  let body = ''
  for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) {
    body += part
    if (body.length > MAX_ANSWER_BYTES) break
  }
  const date = Date.parse(response.headers.date ?? '')
  return {
    status: response.statusCode ?? 0,
    body,
    date: Number.isNaN(date) ? null : new Date(date),
    certificateEnds: end === undefined ? null : new Date(end),
  }
}

/** Checks whether the instance answers at its public URL. */
export const checkPublicUrl: Check = async ({ settings: { publicUrl }, now, add }) => {
  if (publicUrl === null) return { message: 'No daemon runs, or it has no public URL.', isSkipped: true }
  for (const found of await checkAddress(publicUrl, { now: now() })) add(found)
  return { message: publicUrl }
}
