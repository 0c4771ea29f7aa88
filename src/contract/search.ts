import { z } from 'zod'
import { nameOrId } from './common.ts'
import { searchFilter } from './search-filter.ts'

export const searchMode = z.enum(['hybrid', 'vector', 'keyword'])

const queryText = (chars: number) =>
  z
    .string()
    // The rule below would say the same again.
    .min(1, { abort: true })
    .max(chars)
    .refine((query) => query.trim() !== '', 'must not be blank')

const QUERY_MEANS =
  'A question in your own words. `"in quotes"`: these words in this order stand in the passage, its title or a heading. `-word`, `-"in quotes"`: they do not, as written. `name:part`, `name:"two words"`, `-name:part`: the document has this in its name, or has not. A query of nothing but exclusions and names is refused. With more than 200 characters beside them all of these are ordinary characters.'

/** strictObject throughout: a typing error must not silently widen a search. */
export const searchRequest = z
  .strictObject({
    query: queryText(4000).meta({ description: QUERY_MEANS }),
    limit: z.int().min(1).max(100).default(10),
    offset: z.int().min(0).max(1000).default(0).meta({ description: 'How many results to leave out before the first' }),
    project: z
      .union([nameOrId, z.array(nameOrId).min(1).max(100)])
      .optional()
      .meta({ description: 'Id or name, or a list of them; all projects when left out' }),
    mode: searchMode.default('hybrid'),
    rerank: z.boolean().default(true),
    correct: z.boolean().default(true).meta({
      description:
        'Replaces misspelt words by words of your documents: only those that stand in none of them, never in quotes, with digits or in camelCase. `false` insists on the query as it is.',
    }),
    group_by: z
      .enum(['chunk', 'document'])
      .default('chunk')
      .meta({ description: '`document`: one result a document, its best passage shown, `matching_chunks` counted' }),
    filter: searchFilter.optional(),
    explain: z.boolean().default(false).meta({ description: 'Adds the rank and score of each stage to each result' }),
  })
  .meta({ id: 'SearchRequest' })
export type SearchRequest = z.input<typeof searchRequest>
export type ParsedSearchRequest = z.output<typeof searchRequest>

/** The same under another limit for the question, where one is configured. */
export function searchRequestWithin(queryChars: number): z.ZodType<ParsedSearchRequest> {
  return queryChars === 4000
    ? searchRequest
    : searchRequest.extend({ query: queryText(queryChars).meta({ description: QUERY_MEANS }) })
}

const stage = z.object({ rank: z.int(), score: z.number() })

export const searchResult = z
  .object({
    rank: z.int(),
    score: z.number().min(0).max(1),
    document: z.object({
      id: z.string(),
      name: z.string(),
      path: z.string(),
      title: z.string().nullable(),
      media_type: z.string(),
      project: z.object({ id: z.string(), name: z.string() }),
    }),
    chunk: z.object({
      id: z.string(),
      index: z.int(),
      page_start: z.int(),
      page_end: z.int(),
      heading: z.string(),
      context: z
        .string()
        .meta({ description: 'The header row of the table within which `text` begins; empty where there is none' }),
      char_start: z.int(),
      char_end: z.int(),
    }),
    text: z.string().meta({
      description:
        "The document's text from `char_start` to `char_end`. Up to three passages that follow one another on the same page and are nearly as good are one result; `chunk.id`, `index` and `heading` are then those of the best",
    }),
    joined_chunks: z.int().meta({ description: 'How many passages `text` is made of' }),
    also_in: z.array(z.object({ id: z.string(), name: z.string(), page_start: z.int() })).meta({
      description: 'Other documents with the same passage, at most 20; with group_by document each is a result of its own',
    }),
    highlights: z.array(z.tuple([z.int(), z.int()])).meta({ description: 'Offsets in `text`, in UTF-16 code units' }),
    url: z.url().meta({
      description:
        'Opens the passage in the web page, for whoever is logged in there. It stays good when the document is indexed anew; where its text has changed, it opens the page',
    }),
    matching_chunks: z.int().optional().meta({ description: 'With group_by document: how many of its passages were found' }),
    explain: z
      .object({
        keyword: stage.nullable(),
        vector: stage.nullable(),
        fused: stage,
        rerank: stage
          .extend({
            features: z.record(z.string(), z.number()).optional().meta({
              description: 'What each feature has in the score, by its name; of the built-in reranker they add up to it',
            }),
          })
          .nullable(),
        reserved: z.object({ rank: z.int(), reason: z.string() }).nullable().meta({
          description: 'The place it was given because it is nearest by meaning though it has no word of the question, and why',
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
      .meta({ description: 'What was searched for instead, where words were misspelt; null when nothing was corrected' }),
    results: z.array(searchResult),
    took_ms: z.number(),
    mode: searchMode,
    mode_reason: z.string().nullable().meta({ description: 'Why another mode was used than asked for' }),
    embedding_model: z.string().nullable(),
    rerank: z.object({
      applied: z.boolean(),
      model: z
        .string()
        .nullable()
        .meta({ description: '`builtin`, `ollama:…`, or the model or address of a rerank endpoint: what made this order' }),
      took_ms: z.number(),
      reason: z
        .string()
        .nullable()
        .meta({ description: 'Why it was not applied, or not by the model that was set up, or not to all passages' }),
    }),
    pending_documents: z.int().meta({ description: "The caller's documents that are not searchable yet" }),
  })
  .meta({ id: 'SearchAnswer' })
export type SearchAnswer = z.infer<typeof searchAnswer>
