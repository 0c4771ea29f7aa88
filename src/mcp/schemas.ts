import { z } from 'zod'
import { messageFilter, pathPrefix } from '../contract/search-filter.ts'

/** A result of the tool `search` has at most this many characters of text. */
export const MAX_RESULT_CHARS = 1_200
export const MAX_RESULTS = 20
const DEFAULT_RESULTS = 5
/** Claude Code refuses answers above 25,000 tokens, which are about 75,000 characters of dense English. */
export const MAX_FETCH_CHARS = 50_000
const DEFAULT_FETCH_CHARS = 20_000
const MIN_FETCH_CHARS = 500
const MAX_QUERY_CHARS = 4_000

/** Pages, such as `3` or `3-5`. `1+20000` begins at a character within page 1: `next` has this form when one page is too long. */
export const PAGE_RANGE = /^(\d{1,7})(?:\+(\d{1,9}))?(?:-(\d{1,7}))?$/

// Strict, because a mistyped argument must not silently widen a search.
export const searchInput = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(MAX_QUERY_CHARS)
    .describe('A question or keywords. "quoted phrases", -word, path:contracts/, tag:signed and type:pdf work as well'),
  project: z.string().min(1).max(200).optional().describe('Name or ID of one project from list_projects. Default: all projects'),
  limit: z.int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS).describe('How many passages to return'),
  path_prefix: pathPrefix.optional(),
  ...messageFilter,
})

export const searchOutput = z.object({
  results: z.array(
    z.object({
      id: z.string().describe('For the tool fetch: the document and the page where the passage begins'),
      title: z.string(),
      url: z.string().describe('Opens the passage in a browser. Cite it'),
      text: z.string().describe(`The passage, or the best part of it: at most ${MAX_RESULT_CHARS} characters`),
      page_start: z.int(),
      page_end: z.int(),
      location: z.string().optional().describe('Where the passage is, such as `slide 7` or `sheet "Costs", rows 12–31`. Cite it'),
      heading: z.string(),
      score: z.number().describe('0 to 1, comparable within one answer'),
    }),
  ),
  pending_documents: z.int().describe('Documents that are not searchable yet. If it is not 0, a later search can find more'),
})

export const fetchInput = z.strictObject({
  id: z.string().min(1).max(200).describe('The id of a search result, or of a document'),
  pages: z
    .string()
    .regex(PAGE_RANGE)
    .optional()
    .describe('Pages such as "3" or "3-5", or `next` of the answer before. Default: from the page in id to the end'),
  max_chars: z.int().min(MIN_FETCH_CHARS).max(MAX_FETCH_CHARS).default(DEFAULT_FETCH_CHARS),
})

export const fetchOutput = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  url: z.string().describe('Opens the document at its first returned page. Cite it'),
  metadata: z.object({ path: z.string(), pages: z.int().describe('How many pages the document has'), project: z.string() }),
  next: z.string().optional().describe('What is left. Call fetch again with it as `pages`'),
})

export const projectsInput = z.strictObject({})

export const projectsOutput = z.object({
  projects: z.array(z.object({ id: z.string(), name: z.string(), document_count: z.int() })),
  truncated: z.boolean().optional().describe('True if there are more projects. Name those in search by their ID'),
})

export type SearchInput = z.output<typeof searchInput>
export type SearchOutput = z.output<typeof searchOutput>
export type FetchInput = z.output<typeof fetchInput>
export type FetchOutput = z.output<typeof fetchOutput>
export type ProjectsOutput = z.output<typeof projectsOutput>
