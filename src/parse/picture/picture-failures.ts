import { DocsearchError } from '../../core/errors.ts'
import { corrupt } from '../failures.ts'

/** More than the pixels of an A3 page at 600 dpi. */
const MAX_PIXELS = 100_000_000

/** Checks the size before docsearch decodes the picture. Throws `corrupt` and `too_large`. */
export function checkSize(what: string, width: number, height: number): void {
  if (!(width > 0 && height > 0)) throw corrupt(what)
  if (width * height <= MAX_PIXELS) return
  throw new DocsearchError(
    'too_large',
    `The picture has ${width} × ${height} pixels, more than the limit of ${MAX_PIXELS / 1_000_000} million. Scale it down or split it, and upload it again.`,
    { details: { width, height, limit: MAX_PIXELS } },
  )
}

/** Returns the error for a picture that can't go into a PDF unchanged. */
export function unusual(what: string, how: string): DocsearchError {
  return new DocsearchError(
    'unsupported_type',
    `${what} ${how}, which docsearch can't read. Save it as PNG or PDF and upload that.`,
  )
}
