import { compress, encodingFor } from '../../answers/compress.ts'
import type { Ctx, Middleware } from '../../routing/context.ts'

/**
 * Compresses a view, unless another site caused the request. The size of a compressed answer tells how much of the question in its
 * address repeats in the answer. Somebody who can make a browser ask many questions, and sees the sizes of the encrypted answers,
 * could so learn words of the user's documents letter by letter (BREACH, 2013).
 *
 * - A site can send a browser to an address here as often as it likes. Browsers say so in Sec-Fetch-Site, which no site can change.
 *   docsearch compresses only what its own views ask for (`same-origin`) and what the user asks for (`none`), such as a bookmark. A
 *   browser without this header gets views as they are.
 * - The token in forms looks different in each answer (`session/csrf.ts`).
 * - Views that show a new secret are never compressed (`hasSecret`). Neither are views that need no
 *   login, such as those for one-time links and for consent.
 */
export function compressView(): Middleware {
  return async (ctx, next) => {
    await next()
    if (typeof ctx.body !== 'string' || ctx.response.type !== 'text/html' || ctx.state.hasSecret === true) return
    ctx.vary('Sec-Fetch-Site')
    if (!isOwnRequest(ctx)) return
    const body = Buffer.from(ctx.body)
    const encoding = encodingFor(ctx, body.length)
    if (encoding === null) return
    ctx.body = await compress(body, encoding, { isKept: false })
    ctx.set('Content-Encoding', encoding)
  }
}

function isOwnRequest(ctx: Ctx): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  return site === 'same-origin' || site === 'none'
}
