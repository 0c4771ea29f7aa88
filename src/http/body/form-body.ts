import { hasTooManyFields, MAX_FIELDS } from './fields.ts'
import { fail } from '../problems/problems.ts'
import { readText } from './read-text.ts'
import type { Ctx, Middleware } from '../routing/context.ts'

/** The longest form carries an authorization request, percent-encoded twice, and stays well below this. */
const MAX_BYTES = 64_000
const TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?$/i

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
  if (!TYPE.test(ctx.get('Content-Type')) || (encoding !== '' && encoding !== 'identity')) {
    throw fail(
      'unsupported_media_type',
      'Send a form as `Content-Type: application/x-www-form-urlencoded`, in UTF-8 and not compressed.',
    )
  }
  const text = await readText(ctx.req, MAX_BYTES)
  if (text === null)
    throw fail('body_too_large', `The form is longer than the limit of ${MAX_BYTES} bytes.`, { limit: MAX_BYTES })
  return text
}
