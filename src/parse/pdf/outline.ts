import type { Pdfium } from './pdfium-module.ts'

/** A hostile outline can be endless or circular. */
const MAX_ENTRIES = 5_000
const MAX_DEPTH = 6

export interface OutlineEntry {
  title: string
  /** From 1. */
  level: number
}

/** Returns the bookmarks by their page (from 0), and the depth of the deepest one. */
export function readOutline(pdfium: Pdfium, document: number): { byPage: Map<number, OutlineEntry[]>; depth: number } {
  const { api } = pdfium
  const byPage = new Map<number, OutlineEntry[]>()
  const seen = new Set<number>()
  let depth = 0

  const visit = (parent: number, level: number): void => {
    for (
      let mark = api.FPDFBookmark_GetFirstChild(document, parent);
      mark !== 0 && !seen.has(mark) && seen.size < MAX_ENTRIES;
      mark = api.FPDFBookmark_GetNextSibling(document, mark)
    ) {
      seen.add(mark)
      const title = pdfium.utf16((buffer, size) => api.FPDFBookmark_GetTitle(mark, buffer, size), 2_000).trim()
      const destination = api.FPDFBookmark_GetDest(document, mark)
      const page = destination === 0 ? -1 : api.FPDFDest_GetDestPageIndex(document, destination)
      if (title !== '' && page >= 0) {
        const entries = byPage.get(page) ?? []
        entries.push({ title, level })
        byPage.set(page, entries)
        depth = Math.max(depth, level)
      }
      if (level < MAX_DEPTH) visit(mark, level + 1)
    }
  }
  visit(0, 1)
  return { byPage, depth }
}
