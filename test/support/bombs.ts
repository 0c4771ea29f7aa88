import {
  blanksPdf,
  docxParagraph,
  endlessPdf,
  manyPagesPdf,
  nestedTablesDocx,
  operatorsPdf,
  rawDocx,
  textDocx,
} from './make-bombs.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { errorCode } from './codes.ts'

/** Eight files made to break a parser, by name, with their allowed outcomes: the code of a failure, or `ready`. The largest has 7 MB. */
export const BOMBS: Readonly<Record<string, { make: () => Buffer; codes: readonly (ErrorCode | 'ready')[] }>> = {
  'blanks.pdf': { make: () => blanksPdf(1_500), codes: [errorCode('parse_memory')] },
  'operators.pdf': { make: () => operatorsPdf(60), codes: ['ready', errorCode('parse_memory'), errorCode('parse_timeout')] },
  'pages.pdf': { make: () => manyPagesPdf(200_000), codes: [errorCode('too_many_pages')] },
  'endless.pdf': { make: () => endlessPdf(), codes: [errorCode('parse_timeout'), errorCode('parse_memory')] },
  'text.docx': { make: () => textDocx(300), codes: [errorCode('too_much_xml')] },
  'entries.docx': {
    make: () =>
      rawDocx(docxParagraph('x'), {
        extra: Array.from({ length: 60_000 }, (_, i) => ({ name: `word/media/${i}.png`, data: '' })),
      }),
    codes: [errorCode('too_many_entries')],
  },
  'nested.docx': { make: () => nestedTablesDocx(3_000), codes: [errorCode('corrupt')] },
  'doctype.docx': {
    make: () => rawDocx(docxParagraph('&a;'), { prolog: '<!DOCTYPE d [<!ENTITY a "aaaa">]>' }),
    codes: [errorCode('corrupt')],
  },
}

/** Returns the outcome of a bomb, in the words of `codes`. */
export function endOf({ status, error }: { status: string; error: { code: string } | null }): string {
  return error?.code ?? status
}
