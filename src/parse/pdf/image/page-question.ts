import type { PageMarks, TextToMark } from '../../../core/page-image.ts'

/** What to find out about one page of a PDF. */
export type PageQuestion = { page: number } & ({ width: number } | { toMark: TextToMark })

/** The image of a page as PNG, or the places of its marks. */
export type PageAnswer = { png: Uint8Array } | { marks: PageMarks }

/** The same, with a PNG in base64 for the channel between two processes. */
export type SentPageAnswer = { png: string } | { marks: PageMarks }
