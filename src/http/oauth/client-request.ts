import { z } from 'zod'
import { registrationRequest } from '../../contract/oauth.ts'
import { OAuthError } from '../../oauth/errors.ts'
import type { ApplicationRequest } from '../../oauth/oauth.ts'
import { hasTooManyFields, MAX_FIELDS, readText } from '../body.ts'
import type { Ctx } from '../routing/context.ts'

/** Many times the length of any client's longest request. */
const MAX_BYTES = 64_000
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?$/i

const textFields = z.record(z.string(), z.string())

/** Reads a client's request from the body and the Authorization header, never from the query. Throws OAuthError `invalid_request`. */
export async function clientRequest(ctx: Ctx): Promise<ApplicationRequest> {
  const parse = parserOf(ctx)
  const text = await readText(ctx.req, MAX_BYTES)
  if (text === null) throw invalid(`The body is longer than the limit of ${MAX_BYTES} bytes.`, 413)
  return { basic: basicCredentials(ctx.get('Authorization')), fields: withoutEmpty(parse(text)) }
}

/** Reads the body of a registration (RFC 7591 section 3.1), which is always JSON. Throws OAuthError `invalid_client_metadata`. */
export async function registrationBody(ctx: Ctx): Promise<z.output<typeof registrationRequest>> {
  if (!JSON_TYPE.test(ctx.get('Content-Type'))) throw wrongMetadata('Send the body as application/json, in UTF-8.')
  const text = await readText(ctx.req, MAX_BYTES)
  if (text === null) throw wrongMetadata(`The body is longer than the limit of ${MAX_BYTES} bytes.`, 413)
  const { data, error } = registrationRequest.safeParse(parseJson(text, wrongMetadata))
  if (data !== undefined) return data
  const fields = new Set(error.issues.map(({ path: [field] }) => String(field ?? 'The body')))
  if (fields.has('redirect_uris'))
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris must be a list of at most 20 addresses.')
  const named = [...fields].filter((field) => Object.hasOwn(registrationRequest.shape, field))
  throw wrongMetadata(
    named.length > 0 ? `These fields have a wrong type or are too long: ${named.join(', ')}.` : 'The body must be a JSON object.',
  )
}

function wrongMetadata(description: string, status = 400): OAuthError {
  return new OAuthError('invalid_client_metadata', description, { status })
}

type Fields = Iterable<[name: string, value: string]>

/** The contract says JSON. RFC 6749 says forms, and nearly every library sends them. */
function parserOf(ctx: Ctx): (text: string) => Fields {
  const [type, encoding] = [ctx.get('Content-Type'), ctx.get('Content-Encoding')]
  if (encoding === '' || encoding === 'identity') {
    if (FORM_TYPE.test(type)) return formFields
    if (JSON_TYPE.test(type)) return jsonFields
  }
  throw invalid('Send the body as application/x-www-form-urlencoded or application/json, in UTF-8 and not compressed.')
}

function formFields(text: string): Fields {
  if (hasTooManyFields(text)) throw tooManyFields()
  const fields = new URLSearchParams(text)
  if (new Set(fields.keys()).size < fields.size) throw invalid('The body has a field more than once.')
  return fields
}

function jsonFields(text: string): Fields {
  const parsed = parseJson(text)
  if (typeof parsed === 'object' && parsed !== null && Object.keys(parsed).length > MAX_FIELDS) throw tooManyFields()
  const { data } = textFields.safeParse(parsed)
  if (data === undefined) throw invalid('The body must be one JSON object whose fields are all strings.')
  return Object.entries(data)
}

function parseJson(text: string, refused = invalid): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw refused('The body is not valid JSON.')
    throw error
  }
}

/** Drops parameters without a value, which count as not sent (RFC 6749 section 3.2). The result has no prototype, so no name can reach one. */
function withoutEmpty(sent: Fields): ApplicationRequest['fields'] {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of sent) if (value !== '') fields[name] = value
  return fields
}

function tooManyFields(): OAuthError {
  return invalid(`The body has more than the limit of ${MAX_FIELDS} fields.`, 413)
}

function invalid(description: string, status = 400): OAuthError {
  return new OAuthError('invalid_request', description, { status })
}

/**
 * Reads client credentials from HTTP Basic: form-encoded, then joined and encoded in base64 (RFC 6749 section 2.3.1). docsearch's ids and secrets
 * are the same with and without the first step, which some libraries leave out. Returns null for another scheme, or none: an access token that a
 * library adds to every request has no meaning here.
 */
export function basicCredentials(header: string): ApplicationRequest['basic'] {
  const encoded = /^basic +(\S*)$/i.exec(header.trimEnd())?.[1]
  if (encoded === undefined) return null
  const [, id, secret] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  if (id === undefined || secret === undefined) throw malformed()
  return { id: decode(id), secret: decode(secret) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) throw malformed()
    throw error
  }
}

function malformed(): OAuthError {
  return new OAuthError('invalid_client', 'The Authorization header is not HTTP Basic with a client ID and a secret.', {
    isBasicRefused: true,
  })
}
