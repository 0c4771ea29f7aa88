import { koaBody } from 'koa-body'
import { fail } from '../problems/problems.ts'
import type { Middleware } from '../routing/context.ts'

const MAX_BYTES = 1_000_000

/**
 * Accepts only JSON with its Content-Type. co-body refuses `__proto__` and `constructor.prototype` anywhere in the text, so no field can reach
 * a prototype. With `optional`, a request without a body counts as `{}`.
 */
export function jsonBody({ optional = false }: { optional?: boolean } = {}): Middleware {
  const parse = koaBody({
    json: true,
    jsonStrict: true,
    jsonLimit: MAX_BYTES,
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
    const has = length === undefined || length <= MAX_BYTES ? 'is longer than' : `has ${length} bytes, more than`
    return fail('body_too_large', `The JSON body ${has} the limit of ${MAX_BYTES} bytes.`, { limit: MAX_BYTES })
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
