import { isPassageThere, parsePassage } from '../../../contract/addresses.ts'
import { documentText, type Page } from '../../../core/parsed.ts'
import type { PassageState } from '../../../pages/document/document.tsx'
import { zoomOf, type Shown, type Zoom } from '../../../pages/document/original-page.tsx'
import { pageAt, startOfPage, windowAt, type TextWindow } from '../../../pages/document/window.ts'
import type { SearchService } from '../../../services/search.ts'
import { MAX_FIND_CHARACTERS } from './find-in-text.ts'

/** The part of a document that an address asks for. */
export interface Target {
  passage: string
  /** The number of a page of the document. */
  page: number | null
  /** An offset in the text of the document. */
  at: number | null
  /** The query whose words are marked in the passage. */
  question: string
  /** What a narrow screen shows; null leaves it to the document. */
  view: Shown | null
  zoom: Zoom
  /** Words to find in the document; empty if there are none. */
  find: string
}

export interface OpenedPart {
  window: TextWindow
  passage: PassageState
  /** The number of the page where the window starts or the passage is. */
  page: number
}

type Query = Readonly<Record<string, string | string[] | undefined>>

export function readTarget(query: Query, question: string | undefined): Target {
  const last = (name: string) => [query[name] ?? []].flat().at(-1) ?? ''
  const number = (name: string) => (/^\d{1,9}$/.test(last(name)) ? Number(last(name)) : null)
  return {
    passage: last('passage'),
    page: number('page'),
    at: number('at'),
    question: question ?? '',
    view: viewOf(last('view')),
    zoom: zoomOf(last('w')),
    find: last('find').trim().slice(0, MAX_FIND_CHARACTERS),
  }
}

function viewOf(sent: string): Shown | null {
  return sent === 'text' || sent === 'page' ? sent : null
}

/**
 * Returns the passage if the text still has it, else its page, else the start of the document. An address with a passage and another
 * page leads to that page, and the passage stays marked.
 */
export function findPlace(
  pages: readonly Page[],
  { passage: sent, page, at, question }: Target,
  highlight: SearchService['highlight'],
): OpenedPart {
  const passage = sent === '' ? null : parsePassage(sent)
  if (passage !== null) {
    const text = documentText(pages)
    if (isPassageThere(passage, text)) {
      const { start, end } = passage
      const marked = { start, end, marks: highlight(question, text.slice(start, end)) }
      const asked = page === null || page === pageAt(pages, start) ? null : startOfPage(pages, page)
      if (page !== null && asked !== null) return { window: windowAt(pages, { at: asked }), passage: marked, page }
      const window = windowAt(pages, { near: start })
      const sheet = window.sheets.findLast((one) => one.start <= start)
      return {
        window,
        passage: marked,
        page: sheet?.page.number ?? 1,
      }
    }
  }
  const start = page === null ? null : startOfPage(pages, page)
  const window = windowAt(pages, { at: start ?? at ?? 0 })
  const first = start === null || page === null ? (window.sheets[0]?.page.number ?? 1) : page
  return { window, passage: sent === '' ? null : 'gone', page: first }
}
