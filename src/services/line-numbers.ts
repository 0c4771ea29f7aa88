import { formatOf } from '../core/formats.ts'
import { documentText } from '../core/parsed.ts'
import type { Records } from '../records/records.ts'
import type { SearchHit } from '../search/search.ts'

/** For the line numbers of one answer, docsearch reads documents of at most this many bytes together. */
const MAX_BYTES = 8_000_000

/** Where the passage of a search result begins. */
export interface Located extends SearchHit {
  /** From 1, in the text of the document. Null for formats with pages, and where finding out would take too long. */
  line: number | null
}

/** Adds the lines in which the passages begin, for the formats whose readers count lines. Reads each document once. */
export async function withLines(hits: readonly SearchHit[], { documents }: Pick<Records, 'documents'>): Promise<Located[]> {
  const texts = new Map<string, string | null>()
  let bytesLeft = MAX_BYTES
  for (const { document } of hits) {
    const { id, projectId, mediaType, pageCount, sizeBytes } = document
    if (texts.has(id) || pageCount !== 1 || formatOf(mediaType)?.countedIn !== 'lines' || sizeBytes > bytesLeft) continue
    bytesLeft -= sizeBytes
    const pages = await documents.pages(new Set([projectId]), id)
    texts.set(id, pages && documentText(pages))
  }
  return hits.map((hit) => {
    const text = texts.get(hit.document.id) ?? null
    return { ...hit, line: text === null ? null : lineAt(text, hit.passage.charStart) }
  })
}

/** Returns the number of the line, from 1, that has this offset. */
function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
