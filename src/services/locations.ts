import { type DocumentFormat, formatOf } from '../core/formats.ts'
import { formatLocation } from '../core/location.ts'
import { LruCache } from '../core/lru-cache.ts'
import type { DocumentRecord } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import type { Records, StoredMessage } from '../records/records.ts'
import type { MorePassage, SearchHit } from '../search/search.ts'

/** For the locations of one answer, docsearch reads documents of at most this many bytes together. */
const MAX_BYTES = 8_000_000
/** Memory for the places of documents. A spreadsheet of 50,000 rows takes 600 kB. */
const MAX_CACHED_BYTES = 8_000_000

/** Where a passage is, in the terms of the document's format. Null if a text has no pages and nobody counted its lines. */
interface Located {
  location: string | null
  /** From 1, in the text of the document. Null for formats with pages, and where finding out would take too long. */
  line: number | null
}

export type LocatedHit = Omit<SearchHit, 'more'> & Located & { more: (MorePassage & Pick<Located, 'location'>)[] }

/** Where the rows and lines of a document's text begin. */
interface Places {
  /** The first heading of each page, if it begins with one. */
  names: (string | null)[]
  /** Offsets of the rows of tables, with their numbers. */
  rows: { starts: Uint32Array; ends: Uint32Array; numbers: Uint32Array }
  lines: Uint32Array
}

/** Finds out where passages are. Reads a document only for its rows, sheets or lines, and remembers them. */
export class Locations {
  private readonly documents: Records['documents']
  private readonly messages: Records['messages']
  private readonly cache = new LruCache<Places>(MAX_CACHED_BYTES)

  constructor({ documents, messages }: Pick<Records, 'documents' | 'messages'>) {
    this.documents = documents
    this.messages = messages
  }

  /** @param withLines Whether to count the lines of texts. */
  async locate(hits: readonly SearchHit[], withLines: boolean): Promise<LocatedHit[]> {
    let bytesLeft = MAX_BYTES
    const located: LocatedHit[] = []
    for (const hit of hits) {
      const { document } = hit
      const format = formatOf(document.mediaType)
      const hasLines = linesAreKnown(document, format, withLines)
      let places = this.isNeeded(document, format, hasLines) ? (this.cache.get(keyOf(document)) ?? null) : undefined
      if (places === null && document.sizeBytes <= bytesLeft) {
        bytesLeft -= document.sizeBytes
        places = await this.read(document)
      }
      const place = async (passage: SearchHit['passage']): Promise<Located> => {
        const isMessage = format?.countedIn === 'messages'
        const message = isMessage ? await this.messages.get(document.id, passage.pageStart) : null
        return locationOf(document, passage, { format, places: places ?? null, message, hasLines })
      }
      const more: LocatedHit['more'] = []
      for (const other of hit.more) more.push({ ...other, location: (await place(other.passage)).location })
      located.push({ ...hit, ...(await place(hit.passage)), more })
    }
    return located
  }

  private isNeeded({ pageCount }: DocumentRecord, format: DocumentFormat | undefined, hasLines: boolean): boolean {
    const counted = format?.countedIn
    return counted === 'sheets' || (pageCount === 1 && (counted === 'rows' || (counted === 'lines' && hasLines)))
  }

  private async read(document: DocumentRecord): Promise<Places | null> {
    const pages = await this.documents.pages(new Set([document.projectId]), document.id)
    if (pages === null) return null
    const places = placesOf(pages)
    this.cache.set(keyOf(document), places, bytesOf(places))
    return places
  }
}

/** Results in source code always name their lines, unless these differ from the lines of the file. Other texts name lines only if the caller asks. */
function linesAreKnown({ parse }: DocumentRecord, format: DocumentFormat | undefined, withLines: boolean): boolean {
  return parse['formatted'] !== true && (withLines || format?.isCode === true)
}

function keyOf({ id, version }: DocumentRecord): string {
  return `${id} ${version}`
}

function bytesOf({ names, rows, lines }: Places): number {
  const chars = names.reduce((sum, name) => sum + (name?.length ?? 0), 0)
  return 200 + names.length * 30 + chars * 2 + (rows.starts.length * 3 + lines.length) * 4
}

function placesOf(pages: readonly Page[]): Places {
  const [starts, ends, numbers, lines]: [number[], number[], number[], number[]] = [[], [], [], [0]]
  const names: Places['names'] = []
  let base = 0
  for (const { text, blocks } of pages) {
    const [first] = blocks
    names.push(first?.kind === 'heading' ? text.slice(first.start, first.end) : null)
    for (const { start, end, row } of blocks) {
      if (row === undefined) continue
      starts.push(base + start)
      ends.push(base + end)
      numbers.push(row)
    }
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(base + at + 1)
    base += text.length + 1
  }
  return {
    names,
    rows: { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), numbers: Uint32Array.from(numbers) },
    lines: Uint32Array.from(lines),
  }
}

function locationOf(
  { mediaType, pageCount }: DocumentRecord,
  { pageStart, pageEnd, charStart, charEnd }: SearchHit['passage'],
  {
    format,
    places,
    message,
    hasLines,
  }: { format: DocumentFormat | undefined; places: Places | null; message: StoredMessage | null; hasLines: boolean },
): Located {
  const rows = places && rowsIn(places.rows, charStart, charEnd)
  const pageName = places?.names[pageStart - 1] ?? null
  let line: number | null = null
  let lastLine: number | null = null
  if (hasLines && places !== null && pageCount === 1) {
    if (format?.countedIn === 'rows') line = rows?.[0] ?? null
    else if (format?.countedIn === 'lines') line = countUpTo(places.lines, charStart)
    if (format?.isCode === true && line !== null) lastLine = countUpTo(places.lines, charEnd - 1)
  }
  return { location: formatLocation({ mediaType, pageStart, pageEnd, pageName, message, rows, line, lastLine }), line }
}

function rowsIn({ starts, ends, numbers }: Places['rows'], from: number, to: number): [number, number] | null {
  const first = countUpTo(ends, from)
  const last = countUpTo(starts, to - 1) - 1
  return first > last || numbers.length === 0 ? null : [numbers[first]!, numbers[last]!]
}

/** Returns how many of the ascending numbers are at most `limit`. */
function countUpTo(numbers: Uint32Array, limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! <= limit) low = middle + 1
    else high = middle
  }
  return low
}
