import { documentPath, passageAddress } from '../contract/addresses.ts'
import { toMessageQuery } from '../contract/search-filter.ts'
import { countOf } from '../core/count-of.ts'
import { DocsearchError } from '../core/errors.ts'
import { excerptOf } from '../core/excerpt.ts'
import type { Page } from '../core/parsed.ts'
import { cutTo } from '../core/text-limits.ts'
import type { Actor } from '../services/access.ts'
import type { LocatedHit } from '../services/locations.ts'
import type { Services } from '../services/create.ts'
import {
  type FetchInput,
  type FetchOutput,
  MAX_FETCH_CHARS,
  MAX_RESULT_CHARS,
  PAGE_RANGE,
  type ProjectsOutput,
  type SearchInput,
  type SearchOutput,
} from './schemas.ts'

/** An answer names at most this many projects: about 6,000 tokens. */
const MAX_PROJECTS = 200
/** An excerpt ends at most 30 characters later than its size says, so that no word is cut. */
const EXCERPT = { characters: MAX_RESULT_CHARS - 30, lines: 1_000, whole: MAX_RESULT_CHARS }

export interface ToolParts extends Pick<Services, 'search' | 'documents' | 'projects'> {
  baseUrl(): string
}

/** Who calls a tool, and until when they wait for the answer. */
export interface ToolCall {
  actor: Actor
  gone: AbortSignal
}

/** The tools, as functions from checked arguments to answers. They throw DocsearchError. */
export function createTools({ search, documents, projects, baseUrl }: ToolParts) {
  function presentHit({ document, passage, text, highlights, score, location }: LocatedHit): SearchOutput['results'][number] {
    const { pageStart: page, charStart, charEnd } = passage
    const [from, to] = excerptOf(text, highlights, EXCERPT)
    return {
      id: `${document.id}:p${page}`,
      title: document.title ?? document.name,
      url: baseUrl() + passageAddress({ documentId: document.id, page, charStart, charEnd, text }),
      text: text.slice(from, to),
      page_start: page,
      page_end: passage.pageEnd,
      ...(location === null ? {} : { location }),
      heading: passage.heading,
      score,
    }
  }

  return {
    async search(
      { query, project, limit, path_prefix, ...filter }: SearchInput,
      { actor, gone }: ToolCall,
    ): Promise<SearchOutput> {
      const messages = toMessageQuery(filter)
      const found = await search.search(
        actor,
        {
          query,
          limit,
          projects: project === undefined ? undefined : [project],
          filter: { pathPrefix: path_prefix },
          ...(messages !== undefined && { messages }),
          offset: 0,
          mode: 'hybrid',
          rerank: true,
          correct: true,
          groupBy: 'chunk',
          sort: 'relevance',
          facets: null,
        },
        gone,
      )
      return { results: found.hits.map(presentHit), pending_documents: found.pendingDocuments }
    },

    async fetch({ id, pages: wanted, max_chars }: FetchInput, { actor }: ToolCall): Promise<FetchOutput> {
      const { documentId, page } = parseResultId(id)
      const range = parseRange(wanted, page ?? 1)
      const { document, pages } = await documents.pages(actor, documentId)
      if (pages === null)
        throw new DocsearchError('text_not_ready', `The text of this document was not extracted (status: ${document.status}).`)
      const { text, next } = readRange(pages, range, max_chars)
      return {
        id: document.id,
        title: document.title ?? document.name,
        text,
        url: `${baseUrl()}${documentPath(document.id)}?page=${range.first}`,
        metadata: { path: document.path, pages: pages.length, project: document.projectName },
        ...(next !== null && { next }),
      }
    },

    listProjects: ({ actor }: ToolCall) => listProjects(projects, actor),
    page: (documentId: string, number: number, { actor }: ToolCall) => readPage(documents, actor, { documentId, number }),
  }
}

export type Tools = ReturnType<typeof createTools>

async function listProjects(projects: Services['projects'], actor: Actor): Promise<ProjectsOutput> {
  const found: ProjectsOutput['projects'] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof projects.list>> = await projects.list(actor, {
      limit: MAX_PROJECTS / 2,
      ...(cursor !== null && { cursor }),
    })
    found.push(...page.items.map(({ id, name, counts }) => ({ id, name, document_count: counts.documents })))
    cursor = page.nextCursor
  } while (cursor !== null && found.length < MAX_PROJECTS)
  return { projects: found, ...(cursor !== null && { truncated: true }) }
}

/** Returns the text of one page for the resource template. A longer page says how to read its rest. */
async function readPage(
  documents: Services['documents'],
  actor: Actor,
  { documentId, number }: { documentId: string; number: number },
): Promise<string> {
  const { text } = await documents.text(actor, documentId, number)
  const range = { first: number, offset: 0, last: number }
  const { text: part, next } = readRange([{ number, text, blocks: [] }], range, MAX_FETCH_CHARS)
  return next === null ? part : `${part}\n\n[The page goes on: call the tool fetch with pages "${next}".]`
}

/** Which part of a document to read. */
interface PageRange {
  first: number
  /** Where to begin in the first page, in UTF-16 code units. */
  offset: number
  last: number
}

const BETWEEN_PAGES = '\n\n'

/** Splits the ID of a search result, `doc_…:p3`, into document and page. The ID of a document has no page. */
function parseResultId(id: string): { documentId: string; page: number | null } {
  const [, documentId = id, page] = /^(.+):p(\d{1,7})$/s.exec(id) ?? []
  return { documentId, page: page === undefined ? null : Number(page) }
}

/** Returns the range of the argument `pages`. Without it, the range goes from `from` to the end. Throws `invalid_request`. */
function parseRange(pages: string | undefined, from: number): PageRange {
  if (pages === undefined) return { first: from, offset: 0, last: Infinity }
  const [, first, offset = '0', last = first] = PAGE_RANGE.exec(pages) ?? []
  const range = { first: Number(first), offset: Number(offset), last: Number(last) }
  if (range.first >= 1 && range.last >= range.first) return range
  throw new DocsearchError('invalid_request', `pages is ${JSON.stringify(pages)}. Write it like "3" or "3-5".`)
}

/**
 * Returns the text of the range, at most `maxChars` of it. `next` is the rest of the range as an argument `pages`. Throws
 * `page_not_found` for a range behind the last page.
 */
function readRange(pages: readonly Page[], range: PageRange, maxChars: number): { text: string; next: string | null } {
  const wanted = pages.filter(({ number }) => number >= range.first && number <= range.last)
  const end = wanted.at(-1)?.number
  if (end === undefined) {
    if (pages.length === 0 && range.first === 1) return { text: '', next: null }
    throw new DocsearchError('page_not_found', `The document has ${countOf(pages.length, 'page')} and no page ${range.first}.`)
  }
  let text = ''
  for (const { number, text: pageText } of wanted) {
    const start = number === range.first ? range.offset : 0
    const rest = pageText.slice(start)
    const between = text === '' ? '' : BETWEEN_PAGES
    if (text.length + between.length + rest.length <= maxChars) {
      text += between + rest
      continue
    }
    // A page is only cut when it doesn't fit into an answer of its own.
    if (text !== '') return { text, next: end === number ? `${number}` : `${number}-${end}` }
    const part = cutTo(rest, maxChars)
    return { text: part, next: `${number}+${start + part.length}${end === number ? '' : `-${end}`}` }
  }
  return { text, next: null }
}
