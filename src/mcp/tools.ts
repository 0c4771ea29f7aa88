import { documentPath, passageAddress } from '../contract/addresses.ts'
import { toMessageQuery } from '../contract/search-filter.ts'
import { DocsearchError } from '../core/errors.ts'
import { excerptOf } from '../core/excerpt.ts'
import type { Actor } from '../services/access.ts'
import type { LocatedHit } from '../services/search.ts'
import type { Services } from '../services/services.ts'
import { parseRange, parseResultId, readRange } from './pages.ts'
import {
  type FetchInput,
  type FetchOutput,
  MAX_FETCH_CHARS,
  MAX_RESULT_CHARS,
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
