import type { DocumentRecord } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import type { Documents, Messages } from '../records/records.ts'

/** A thread can name many messages. This limits how many other documents are read to compare their text. */
const MAX_SOURCES = 50

export type FindRepetitions = (document: DocumentRecord, pages: readonly Page[]) => Promise<readonly Page[]>

/**
 * Makes the function that marks quoted blocks which are in the index already. A quoted block is a repetition if a message that this one answers
 * has the same block, not quoted, and is in the same project. White space and punctuation don't count. Records which documents have the text, so
 * that the quotes are indexed when these documents go.
 */
export function createFindRepetitions(records: {
  messages: Pick<Messages, 'answeredBy' | 'setQuoted'>
  documents: Pick<Documents, 'pages'>
}): FindRepetitions {
  return async (document, pages) => {
    if (!pages.some(({ blocks }) => blocks.some(({ quoted }) => quoted === true))) return pages
    const { id, projectId } = document
    const answered = await records.messages.answeredBy(projectId, id)
    const own = new Map<string, ReadonlyMap<number, ReadonlySet<string>>>([[id, ownBlocks(pages)]])
    const used = new Set<string>()
    const marked: Page[] = []
    for (const page of pages) {
      const sources: { documentId: string; blocks: ReadonlySet<string> }[] = []
      for (const source of answered.get(page.number) ?? []) {
        if (!own.has(source.documentId) && own.size <= MAX_SOURCES) {
          const read = await records.documents.pages(new Set([projectId]), source.documentId)
          own.set(source.documentId, ownBlocks(read ?? []))
        }
        const blocks = own.get(source.documentId)?.get(source.page)
        if (blocks !== undefined) sources.push({ documentId: source.documentId, blocks })
      }
      marked.push(
        mark(page, (text) => {
          const source = sources.find(({ blocks }) => blocks.has(text))
          if (source !== undefined && source.documentId !== id) used.add(source.documentId)
          return source !== undefined
        }),
      )
    }
    await records.messages.setQuoted(id, [...used])
    return marked
  }
}

function mark(page: Page, isRepeated: (text: string) => boolean): Page {
  const blocks = page.blocks.map((block) => {
    const text = block.quoted === true ? comparable(page.text.slice(block.start, block.end)) : ''
    return text !== '' && isRepeated(text) ? { ...block, repeated: true } : block
  })
  return { ...page, blocks }
}

/** Returns, by page, the blocks that are not quoted. */
function ownBlocks(pages: readonly Page[]): Map<number, ReadonlySet<string>> {
  return new Map(
    pages.map(({ number, text, blocks }) => [
      number,
      new Set(blocks.filter(({ quoted }) => quoted !== true).map(({ start, end }) => comparable(text.slice(start, end)))),
    ]),
  )
}

/** Returns the letters and digits of a text: mail programs wrap quoted lines differently, and change quotation marks. */
function comparable(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
