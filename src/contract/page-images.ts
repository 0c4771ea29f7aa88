import { z } from 'zod'
import { DocsearchError } from '../core/errors.ts'
import { PAGE_IMAGE_WIDTH } from '../core/page-image.ts'

const { min, max, default: usual } = PAGE_IMAGE_WIDTH

export const pageImageQuery = z.strictObject({
  w: z.coerce.number().int().min(min).max(max).default(usual).meta({ description: 'Width of the image in pixels' }),
})

/** Reads the number of a page in a path. Throws `page_not_found`. */
export function parsePageNumber(sent: string): number {
  if (!/^[1-9]\d{0,8}$/.test(sent)) throw new DocsearchError('page_not_found', 'Pages are numbered from 1.')
  return Number(sent)
}
