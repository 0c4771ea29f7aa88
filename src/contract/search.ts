import { z } from 'zod'
import { nameOrId, displayName, timestamp } from './common.ts'
import { searchFilter } from './search-filter.ts'

export const searchMode = z.enum(['hybrid', 'vector', 'keyword'])

export const searchSort = z.enum(['relevance', 'newest', 'name'])

export const facetName = z.enum(['project', 'folder', 'media_type', 'tag', 'year'])

const queryText = (chars: number) =>
  z
    .string()
    // An empty query would also break the rule below, and one message is enough.
    .min(1, { abort: true })
    .max(chars)
    .refine((query) => query.trim() !== '', 'must not be blank')

const QUERY_MEANS =
  'What to search for, in your own words. `"in quotes"` requires these words in this order in the passage, its title or a heading. `-word` and `-"in quotes"` exclude passages that contain the words as written. `name:part`, `name:"two words"` and `-name:part` require or exclude documents with this in their name. In the same way, `path:contracts/` looks for the beginning of the path, `tag:signed` for a tag, and `type:pdf` for a format or media type. A document must have each tag, but only one of several paths and types. A query without a word to look for is refused. A query has at most 20 operators, with 1,000 characters together. If more than 200 characters are outside these operators, the whole query is ordinary text.'

/** All objects are strict, because a typing error must not silently widen a search. */
export const searchRequest = z
  .strictObject({
    query: queryText(4000).meta({ description: QUERY_MEANS }),
    limit: z.int().min(1).max(100).default(10).meta({ description: 'Maximum number of results' }),
    offset: z.int().min(0).max(1000).default(0).meta({ description: 'Number of results to skip' }),
    project: z
      .union([nameOrId, z.array(nameOrId).min(1).max(100)])
      .optional()
      .meta({ description: 'ID or name, or a list of them. Default: all projects' }),
    mode: searchMode.default('hybrid').meta({ description: '`hybrid` combines keyword and vector search' }),
    rerank: z.boolean().default(true).meta({ description: 'Lets the reranker reorder the best passages' }),
    correct: z.boolean().default(true).meta({
      description:
        'Replaces misspelled words with words from your documents. Only words that none of your documents contains are replaced, and never known English words, names (a capital within a sentence), words in quotes, with digits or in camelCase. If no passage contains the quoted phrases, docsearch searches for their words, and `relaxed_phrases` has the phrases. `false` searches for exactly what you typed',
    }),
    group_by: z
      .enum(['chunk', 'document'])
      .default('chunk')
      .meta({ description: '`document`: one result for each document, with its best passage and `matching_chunks`' }),
    passages: z.int().min(1).max(10).default(1).meta({
      description: 'With `group_by: document`: number of passages of each document. `more_passages` has all except the best one',
    }),
    filter: searchFilter.optional(),
    sort: searchSort.default('relevance').meta({
      description:
        'Order of the results. `newest`: by the time when the document was created, newest first. `name`: by the name of the document, ignoring letter case, with numbers in numeric order. Results with the same time or name stay in order of relevance. `score` is always the relevance. Results are reranked only for `relevance`',
    }),
    facets: z
      .array(facetName)
      .max(facetName.options.length)
      .optional()
      .meta({
        description: 'Counts the found documents by these properties. The answer has the counts in `facets`',
        examples: [['project', 'tag']],
      }),
    lines: z.boolean().default(false).meta({ description: 'Adds `chunk.line` to each result' }),
    explain: z.boolean().default(false).meta({ description: 'Adds the rank and score of each stage to each result' }),
  })
  .meta({ id: 'SearchRequest' })
export type SearchRequest = z.input<typeof searchRequest>
export type ParsedSearchRequest = z.output<typeof searchRequest>

/** The same schema with the configured limit for the length of a query. */
export function searchRequestWithin(queryChars: number): z.ZodType<ParsedSearchRequest> {
  return queryChars === 4000
    ? searchRequest
    : searchRequest.extend({ query: queryText(queryChars).meta({ description: QUERY_MEANS }) })
}

const facetValues = z.array(z.object({ value: z.string(), count: z.int().meta({ description: 'Number of documents' }) }))

const facets = z
  .object({
    project: facetValues.optional().meta({ description: 'Names of projects, for `project`' }),
    folder: facetValues.optional().meta({
      description:
        'Folders, for `filter.path_prefix`. A document counts in each folder of its path, up to ten levels deep. Documents without a folder are not counted',
    }),
    media_type: facetValues.optional().meta({ description: 'Media types, for `filter.media_types`' }),
    tag: facetValues.optional().meta({ description: 'Tags, for `filter.tags`. A document counts for each of its tags' }),
    year: facetValues.optional().meta({
      description: 'Years in which documents were created, in UTC, for `filter.created_after` and `filter.created_before`',
    }),
  })
  .meta({
    id: 'Facets',
    description:
      'The requested facets. Each has at most 100 values, the most frequent first; equally frequent values are ordered by their characters. Facets count documents, not passages, on all result pages together: `limit` and `offset` do not change them. They cover the best 6,000 passages of keyword search and the best 6,000 of vector search',
    examples: [
      {
        project: [{ value: 'contracts', count: 12 }],
        folder: [
          { value: 'leases/', count: 9 },
          { value: 'leases/2018/', count: 4 },
        ],
        year: [{ value: '2026', count: 12 }],
      },
    ],
  })

export type Facets = z.infer<typeof facets>

const stage = z.object({ rank: z.int(), score: z.number() })

const chunk = z.object({
  id: z.string(),
  index: z.int().meta({ description: 'Position of the passage in the document, from 0' }),
  page_start: z.int(),
  page_end: z.int(),
  heading: z.string(),
  context: z.string().meta({ description: 'The header row, if `text` begins inside a table. Empty otherwise' }),
  char_start: z.int().meta({ description: 'Offset in the text of the document, in UTF-16 code units' }),
  char_end: z.int(),
})

const passageUrl = z.url().meta({
  description:
    'Opens the passage in the browser, for a user who is logged in. It stays valid when the document is indexed again. If the text has changed, it opens the page',
})

const highlights = z.array(z.tuple([z.int(), z.int()])).meta({ description: 'Offsets in `text`, in UTF-16 code units' })

const location = z.string().nullable().optional().meta({
  description:
    'Where the passage is, in the terms of its format: `page 3`, `slide 7`, `sheet "Costs", rows 12–31`, `chapter 2`, `lines 40–62` of source code. With `lines`, also `line 40` for another text without pages. Without `lines`, null for such a text',
})

const searchPassage = z.object({ chunk, location, text: z.string(), highlights, url: passageUrl }).meta({ id: 'SearchPassage' })
export type SearchPassage = z.infer<typeof searchPassage>

export const searchResult = z
  .object({
    rank: z.int(),
    score: z.number().min(0).max(1).meta({ description: 'Comparable within one answer' }),
    document: z.object({
      id: z.string(),
      name: z.string(),
      path: z.string(),
      title: z.string().nullable(),
      media_type: z.string(),
      project: z.object({ id: z.string(), name: z.string() }),
    }),
    chunk: chunk.extend({
      line: z.int().nullable().optional().meta({
        description:
          "With `lines`: the line of the document's text in which the passage begins, from 1. Null for PDF and DOCX, for text of several pages, and for documents that are too large to look",
      }),
    }),
    location,
    text: z.string().meta({
      description:
        "The document's text from `char_start` to `char_end`, at most 12,000 UTF-16 code units. Up to three neighbouring passages of a page with similar scores form one result. `chunk.id`, `index` and `heading` belong to the best passage",
    }),
    joined_chunks: z.int().meta({ description: 'Number of passages in `text`' }),
    also_in: z.array(z.object({ id: z.string(), name: z.string(), page_start: z.int() })).meta({
      description:
        'Other documents with the same passage, at most 20. With `group_by: document`, each of them is a separate result',
    }),
    highlights,
    url: passageUrl,
    matching_chunks: z
      .int()
      .optional()
      .meta({ description: 'With `group_by: document`: number of matching passages in the document' }),
    more_passages: z
      .array(searchPassage)
      .optional()
      .meta({ description: 'With `passages` above 1: the next best passages of the document, those on other pages first' }),
    explain: z
      .object({
        keyword: stage.nullable().meta({ description: 'The score is a fraction of the best keyword score' }),
        vector: stage.nullable(),
        fused: stage,
        rerank: stage
          .extend({
            features: z.record(z.string(), z.number()).optional().meta({
              description: 'What each feature contributes to the score. For the built-in reranker, the sum is the score',
            }),
          })
          .nullable(),
        expansions: z
          .array(
            z.object({
              words: z.string().meta({ description: 'Words of the query, as typed' }),
              found: z.string().meta({ description: 'Other words for them, which the passage has' }),
              source: z.enum(['built_in', 'project', 'spelling']).meta({
                description:
                  "`built_in`: the synonyms that docsearch has. `project`: the project's own. `spelling`: British or American spelling",
              }),
            }),
          )
          .meta({ description: 'The synonyms through which keyword search found the passage' }),
        reserved: z.object({ rank: z.int(), reason: z.string() }).nullable().meta({
          description:
            'The place that was reserved for the passage, and the reason. A passage gets such a place if it is near in meaning but has no word of the query, or if the query names it exactly',
        }),
      })
      .optional(),
  })
  .meta({ id: 'SearchResult' })
export type SearchResult = z.infer<typeof searchResult>

export const searchAnswer = z
  .object({
    query: z.string(),
    corrected_query: z
      .string()
      .nullable()
      .meta({ description: 'The query that was used instead, if words were misspelled. Null if nothing was corrected' }),
    correction_reason: z.string().nullable().meta({
      description: 'Why spelling correction stopped before it had checked every word. Null if it checked every word',
    }),
    relaxed_phrases: z.array(z.string()).meta({
      description:
        'The quoted phrases of the query, if no passage contains them all. The results are then for the words of the phrases. Empty if the phrases were searched as quoted',
    }),
    results: z.array(searchResult),
    truncated: z.boolean().meta({
      description:
        'True if docsearch left out the last results, because an answer has at most 4 MB (`limits.answer_bytes`). To get them, set `offset` to the number of results before them',
    }),
    took_ms: z.number(),
    mode: searchMode,
    mode_reason: z.string().nullable().meta({
      description:
        'Why the search used another mode than requested, or why some documents are missing: a damaged index is being rebuilt, or the object store does not answer',
    }),
    embedding_model: z.string().nullable(),
    rerank: z.object({
      applied: z.boolean(),
      model: z
        .string()
        .nullable()
        .meta({ description: 'What produced this order: `builtin`, `ollama:…`, or the model or address of a rerank endpoint' }),
      took_ms: z.number(),
      reason: z
        .string()
        .nullable()
        .meta({ description: 'Why the results were not reranked, or not by the configured model, or not all of them' }),
    }),
    facets: facets.optional().meta({ description: 'Present only if the request has `facets`' }),
    pending_documents: z.int().meta({ description: "Number of the caller's documents that are not searchable yet" }),
  })
  .meta({ id: 'SearchAnswer' })
export type SearchAnswer = z.infer<typeof searchAnswer>

const parameter = (description: string) => z.string().min(1).max(4000).optional().meta({ description })

/** The parameters in the address of a search in the browser. `searchRequestWithin` checks what they mean. */
const searchParameters = z
  .strictObject({
    q: z.string().min(1).max(16_000).meta({ description: 'The question' }),
    project: parameter('ID or name of a project'),
    group: parameter('`document` by default, or `chunk`'),
    sort: parameter('`relevance` by default, `newest` or `name`'),
    type: parameter('A format such as `pdf`, or a media type'),
    tags: parameter('Separated by commas; one must match'),
    path: parameter('The beginning of the path'),
    after: parameter('First day of the upload, such as 2026-03-31'),
    before: parameter('Day after the last one'),
    document: parameter('ID of a document'),
    exact: parameter('`1`: misspelled words are not corrected'),
  })
  .meta({ id: 'SearchParameters', description: 'The search as in its address in the browser' })

export const savedSearch = z
  .object({
    id: z.string(),
    name: z.string(),
    search: searchParameters,
    url: z.string().meta({ description: 'Opens the search in the browser' }),
    created_at: timestamp,
  })
  .meta({ id: 'SavedSearch' })
export type SavedSearch = z.infer<typeof savedSearch>

export const savedSearchList = z.object({ saved_searches: z.array(savedSearch) }).meta({ id: 'SavedSearchList' })
export type SavedSearchList = z.infer<typeof savedSearchList>

export const savedSearchCreate = z
  .strictObject({
    name: displayName.optional().meta({ description: 'Default: the beginning of the question' }),
    search: searchParameters,
  })
  .meta({ id: 'SavedSearchCreate' })

export const savedSearchUpdate = z.strictObject({ name: displayName }).meta({ id: 'SavedSearchUpdate' })
