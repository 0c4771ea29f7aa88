import type { IncomingMessage } from 'node:http'
import { koaBody } from 'koa-body'
import { fail } from './problems/problems.ts'
import type { Middleware, Ctx } from './routing/context.ts'

/** The server itself sets no limit, because uploads may take long. A short body that trickles in only holds the connection. */
const MAX_MS = 30_000

/**
 * Reads a body as UTF-8 without decompressing it. Returns null if the body is longer than `maxBytes`. Then read the rest
 * (`drain`), or the client's next request on the connection would get stuck. Closes the connection after `maxMs`, as if the
 * client had hung up.
 */
export async function readText(request: IncomingMessage, maxBytes: number, maxMs = MAX_MS): Promise<string | null> {
  const late = setTimeout(() => request.socket.destroy(), maxMs)
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return null
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    clearTimeout(late)
  }
}

const MAX_JSON_BYTES = 1_000_000

/**
 * Accepts only JSON with its Content-Type. co-body refuses `__proto__` and `constructor.prototype` anywhere in the text, so no field can reach
 * a prototype. With `optional`, a request without a body counts as `{}`.
 */
export function jsonBody({ optional = false }: { optional?: boolean } = {}): Middleware {
  const parse = koaBody({
    json: true,
    jsonStrict: true,
    jsonLimit: MAX_JSON_BYTES,
    urlencoded: false,
    text: false,
    multipart: false,
    onError(error, ctx) {
      throw refusal(error, ctx.request.length)
    },
  })
  return async (ctx, next) => {
    const type = ctx.get('Content-Type')
    if (optional && type === '' && !ctx.request.length && ctx.get('Transfer-Encoding') === '') {
      Object.assign(ctx.request, { body: {} })
      return next()
    }
    if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
      throw fail(
        'unsupported_media_type',
        `Send the body as \`Content-Type: application/json\`${type === '' ? '' : `, not ${JSON.stringify(type.slice(0, 100))}`}.`,
      )
    }
    await parse(ctx, next)
  }
}

function refusal(error: Error, length: number | undefined): Error {
  const { type, status } = error as Error & { type?: string; status?: number }
  if (type === 'entity.too.large') {
    const has = length === undefined || length <= MAX_JSON_BYTES ? 'is longer than' : `has ${length} bytes, more than`
    return fail('body_too_large', `The JSON body ${has} the limit of ${MAX_JSON_BYTES} bytes.`, { limit: MAX_JSON_BYTES })
  }
  // The Content-Encoding names a compression that the body doesn't have.
  if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') === true)
    return fail('invalid_json', 'The body is not compressed as its Content-Encoding says.')
  if (status === 415) return fail('unsupported_media_type', 'Send the body as UTF-8, plain or with gzip, deflate or br.')
  if (/forbidden prototype/i.test(error.message))
    return fail(
      'invalid_json',
      'The body has a field named __proto__ or constructor.prototype, which is not allowed. Leave it out.',
    )
  if (status === 400 || error instanceof SyntaxError)
    return fail('invalid_json', 'The body is not valid JSON. Send one complete JSON object in UTF-8.')
  return error
}

/** The longest form carries an authorization request, percent-encoded twice, and stays well below this. */
const MAX_FORM_BYTES = 64_000
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?$/i

/** Accepts only what browsers send for a form without files, so that another site can't post JSON or text here. */
export function formBody(): Middleware {
  return async (ctx, next) => {
    const text = await readForm(ctx)
    if (hasTooManyFields(text))
      throw fail('body_too_large', `The form has more than the limit of ${MAX_FIELDS} fields.`, { limit: MAX_FIELDS })
    const fields: Record<string, string[]> = Object.create(null)
    for (const [name, value] of new URLSearchParams(text)) (fields[name] ??= []).push(value)
    const { csrf = [], ...rest } = fields
    ctx.state.form = { csrf: csrf.length === 1 ? (csrf[0] ?? '') : '', fields: Object.assign(Object.create(null), rest) }
    await next()
  }
}

async function readForm(ctx: Ctx): Promise<string> {
  const encoding = ctx.get('Content-Encoding')
  if (!FORM_TYPE.test(ctx.get('Content-Type')) || (encoding !== '' && encoding !== 'identity')) {
    throw fail(
      'unsupported_media_type',
      'Send a form as `Content-Type: application/x-www-form-urlencoded`, in UTF-8 and not compressed.',
    )
  }
  const text = await readText(ctx.req, MAX_FORM_BYTES)
  if (text === null)
    throw fail('body_too_large', `The form is longer than the limit of ${MAX_FORM_BYTES} bytes.`, { limit: MAX_FORM_BYTES })
  return text
}

/** Many times more than any form, query or OAuth request needs. */
export const MAX_FIELDS = 100

/**
 * Returns true if a form or a query has too many fields. Does not parse it, because parsing 64 kB with ten thousand fields takes
 * 10 ms.
 */
export function hasTooManyFields(text: string): boolean {
  return text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS
}
