import type { Pdfium } from './pdfium-module.ts'
import { fixText } from './text-fixes.ts'

const FREE_TEXT = 3
const WIDGET = 20
const MAX_ANNOTATIONS = 2_000
const MAX_CHARACTERS = 100_000

/**
 * What was typed into a page's form fields and free-standing notes: it is shown on the page, but is no part of its text. Each
 * text once.
 */
export function readNotes(pdfium: Pdfium, page: number): string[] {
  const { api } = pdfium
  const notes = new Set<string>()
  let characters = 0
  const count = Math.min(api.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)
  for (let i = 0; i < count && characters < MAX_CHARACTERS; i++) {
    const annotation = api.FPDFPage_GetAnnot(page, i)
    if (annotation === 0) continue
    const subtype = api.FPDFAnnot_GetSubtype(annotation)
    const key = subtype === FREE_TEXT ? 'Contents' : subtype === WIDGET ? 'V' : null
    if (key !== null) {
      const note = fixText(pdfium.utf16((buffer, size) => api.FPDFAnnot_GetStringValue(annotation, key, buffer, size))).trim()
      if (/[\p{L}\p{N}]/u.test(note) && note !== 'Off') notes.add(note)
      characters += note.length
    }
    api.FPDFPage_CloseAnnot(annotation)
  }
  return [...notes]
}
