import { DocsearchError } from '../../core/errors.ts'
import { corrupt } from '../failures.ts'

/** More than the pixels of an A3 page at 600 dpi. */
const MAX_PIXELS = 100_000_000
/** More than a JPEG can have. Programs take time for each row and each column, even if it has only one pixel. */
const MAX_SIDE = 65_536

/** Checks the size before docsearch decodes the picture. Throws `corrupt` and `too_large`. */
export function checkSize(what: string, width: number, height: number): void {
  if (!(width > 0 && height > 0)) throw corrupt(what)
  if (width * height > MAX_PIXELS) throw tooLarge(`${MAX_PIXELS / 1_000_000} million`, MAX_PIXELS)
  if (Math.max(width, height) > MAX_SIDE) throw tooLarge(`${MAX_SIDE} on each side`, MAX_SIDE)

  function tooLarge(most: string, limit: number): DocsearchError {
    return new DocsearchError(
      'too_large',
      `The picture has ${width} × ${height} pixels, more than the limit of ${most}. Scale it down or split it, and upload it again.`,
      { details: { width, height, limit } },
    )
  }
}

/** Returns the error for a picture that can't go into a PDF unchanged. */
export function unusual(what: string, how: string): DocsearchError {
  return new DocsearchError(
    'unsupported_type',
    `${what} ${how}, which docsearch can't read. Save it as PNG or PDF and upload that.`,
  )
}
