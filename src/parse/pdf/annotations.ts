import type { Note } from './line.ts'
import type { Pdfium } from './pdfium-module.ts'
import { fixText } from './text-fixes.ts'
import { isOutside, readVisibleArea } from './visible-area.ts'

const FREE_TEXT = 3
const WIDGET = 20
const MAX_ANNOTATIONS = 2_000
const MAX_CHARACTERS = 100_000

/**
 * Returns the text of form fields and free text notes, which a page shows but doesn't have in its own text. The same text twice in
 * one place is one note.
 */
export function readNotes(pdfium: Pdfium, page: number): Note[] {
  const { api } = pdfium
  const count = Math.min(api.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)
  if (count === 0) return []
  const notes = new Map<string, Note>()
  const area = readVisibleArea(pdfium, page)
  const rectangle = pdfium.malloc(16)
  let characters = 0
  for (let i = 0; i < count && characters < MAX_CHARACTERS; i++) {
    const annotation = api.FPDFPage_GetAnnot(page, i)
    if (annotation === 0) continue
    const subtype = api.FPDFAnnot_GetSubtype(annotation)
    const key = subtype === FREE_TEXT ? 'Contents' : subtype === WIDGET ? 'V' : null
    if (key !== null) {
      const text = fixText(pdfium.utf16((buffer, size) => api.FPDFAnnot_GetStringValue(annotation, key, buffer, size))).trim()
      if (/[\p{L}\p{N}]/u.test(text) && text !== 'Off') {
        const hasRectangle = api.FPDFAnnot_GetRect(annotation, rectangle)
        const [left, top, right, bottom] = hasRectangle ? pdfium.floats().slice(rectangle / 4, rectangle / 4 + 4) : [0, 0, 0, 0]
        const note = { text, left: left ?? 0, top: top ?? 0, right: right ?? 0, bottom: bottom ?? 0 }
        const isHidden =
          area !== null && hasRectangle && isOutside(area, { x: note.left, y: note.bottom }, { x: note.right, y: note.top })
        if (!isHidden) {
          notes.set(`${text} ${Math.round(note.left / 4)} ${Math.round(note.top / 4)}`, note)
          characters += text.length
        }
      }
    }
    api.FPDFPage_CloseAnnot(annotation)
  }
  pdfium.free(rectangle)
  return [...notes.values()]
}
