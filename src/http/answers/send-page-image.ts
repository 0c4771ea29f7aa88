import type { PageImage } from '../../services/page-images.ts'
import type { Ctx } from '../routing/context.ts'
import { hasCurrent } from './etag.ts'

/** Sends the image of a page, or 304 if the client has it. A browser asks each time, because the user may lose access. */
export async function sendPageImage(ctx: Ctx, { etag, png }: PageImage): Promise<void> {
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', 'private, no-cache')
  if (hasCurrent(ctx, etag)) {
    ctx.status = 304
    return
  }
  const image = await png()
  ctx.set('Content-Type', 'image/png')
  ctx.body = image
}
