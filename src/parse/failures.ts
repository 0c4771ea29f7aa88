import { DocsearchError } from '../core/errors.ts'

const MB = 1_000_000

export function encrypted(): DocsearchError {
  return new DocsearchError('encrypted', 'The file is password-protected; save it without a password and upload it again')
}

/** @param what E.g. 'The PDF'. */
export function corrupt(what: string, cause?: unknown): DocsearchError {
  return new DocsearchError(
    'corrupt',
    `${what} is damaged and cannot be read; open it in its own program, save it again and upload that`,
    { cause },
  )
}

export function tooManyPages(pages: number, limit: number): DocsearchError {
  return new DocsearchError(
    'too_many_pages',
    `The document has ${pages} pages, more than the limit of ${limit}; split it, or raise limits.pages`,
    { details: { pages, limit } },
  )
}

export function tooMuchText(limit: number): DocsearchError {
  return new DocsearchError(
    'too_much_text',
    `The document holds more than ${limit / MB} MB of text, the limit; split it, or raise limits.text_bytes`,
    { details: { limit } },
  )
}

export function timedOut(limitMs: number, stalled: boolean): DocsearchError {
  const what = stalled
    ? `Reading the document came no further for ${limitMs / 1000} s`
    : `Reading the document took more than ${limitMs / 1000} s`
  const knob = stalled ? 'limits.parse_stall_ms' : 'limits.parse_ms'
  return new DocsearchError(
    'parse_timeout',
    `${what}, the limit; split it or save it anew from its own program, or raise ${knob}`,
    { details: { limit_ms: limitMs } },
  )
}

export function outOfMemory(limitBytes: number, cause?: unknown): DocsearchError {
  return new DocsearchError(
    'parse_memory',
    `Reading the document took more memory than the limit of ${Math.round(limitBytes / 2 ** 20)} MiB; split it or save it anew from its own program, or raise limits.parse_memory_bytes`,
    { details: { limit: limitBytes }, cause },
  )
}

export function crashed(cause?: unknown): DocsearchError {
  return new DocsearchError(
    'parser_crashed',
    'The document broke its parser; save it anew from its own program (for a PDF: print it to PDF) and upload that',
    { cause },
  )
}
