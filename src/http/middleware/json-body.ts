import { koaBody } from 'koa-body'
import { fail } from '../problems.ts'
import type { Middleware } from '../step.ts'

const MOST_BYTES = 1_000_000

/**
 * JSON and nothing else, with its Content-Type. co-body refuses `__proto__` and `constructor.prototype` anywhere in the text, so no
 * field can reach a prototype.
 */
export function jsonBody(): Middleware {
  const parse = koaBody({
    json: true,
    jsonStrict: true,
    jsonLimit: MOST_BYTES,
    urlencoded: false,
    text: false,
    multipart: false,
    onError(error) {
      throw refusal(error)
    },
  })
  return async (ctx, next) => {
    const type = ctx.get('Content-Type')
    if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
      throw fail(
        'unsupported_media_type',
        `Send the body as \`Content-Type: application/json\`${type === '' ? '' : `, not ${JSON.stringify(type.slice(0, 100))}`}.`,
      )
    }
    await parse(ctx, next)
  }
}

function refusal(error: Error): Error {
  const { type, status } = error as Error & { type?: string; status?: number }
  if (type === 'entity.too.large') {
    return fail('body_too_large', `The JSON body is over the limit of ${MOST_BYTES} bytes.`, { limit: MOST_BYTES })
  }
  // A body that claims to be compressed and is not.
  if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') === true)
    return fail('invalid_json', 'The body is not what its Content-Encoding says.')
  if (status === 415) return fail('unsupported_media_type', 'Send the body as UTF-8, plain or with gzip, deflate or br.')
  if (status === 400 || error instanceof SyntaxError)
    return fail('invalid_json', 'The body is not valid JSON: send one object, without a field named __proto__.')
  return error
}
