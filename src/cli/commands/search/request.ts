import type { SearchRequest, SearchAnswer } from '../../../contract/search.ts'
import type { Context } from '../../context.ts'
import type { OptionValues } from '../../define.ts'
import { choice, flag, fraction, integer, option, repeatable, TAG_FILTER, text, time, TYPE_FILTER } from '../../options.ts'

/** What to search for. */
export const REQUEST_OPTIONS = {
  projects: repeatable(text('-p, --project <name>', 'Search only this project (ID or name), repeatable')),
  limit: option('-n, --limit <number>', 'Maximum number of results, 1 to 100 (default 10)', integer(1, 100)),
  offset: option('--offset <number>', 'Number of results to skip, up to 1000', integer(0, 1000)),
  mode: choice('--mode <mode>', 'How to search (default hybrid)', ['hybrid', 'vector', 'keyword']),
  sort: choice('--sort <order>', 'Order of the results (default relevance)', ['relevance', 'newest', 'name']),
  tags: TAG_FILTER,
  types: TYPE_FILTER,
  path: text('--path <prefix>', 'Only documents whose path starts with this, such as contracts/2026/'),
  after: option('--after <date>', 'Only documents added on this day or later, such as 2026-03-31', time),
  before: option('--before <date>', 'Only documents added before this day', time),
  from: text('--from <person>', 'Only messages from this person (a part of the name or address), and their attachments'),
  to: text('--to <person>', 'Only messages to this person, including copies (Cc), and their attachments'),
  subject: text('--subject <text>', 'Only messages with this text in the subject, and their attachments'),
  sentAfter: option('--sent-after <date>', 'Only messages sent on this day or later, and their attachments', time),
  sentBefore: option('--sent-before <date>', 'Only messages sent before this day, and their attachments', time),
  minScore: option('--min-score <score>', 'Only results with at least this score, from 0 to 1', fraction),
  rerank: flag('--no-rerank', "Don't rerank: keep the order of the first search stage"),
  correct: flag(
    '--no-correct',
    "Search for exactly what you typed: don't correct misspelled words, and don't search for the words of a phrase that no passage contains",
  ),
  group: flag('-g, --group', 'Show one result per document'),
  explain: flag('--explain', 'Show the rank and score of each stage'),
  open: option(
    '--open <number>',
    'Open the document of the result with this number at its page, in your viewer or else in the browser',
    integer(1, 100),
  ),
}
type Options = OptionValues<typeof REQUEST_OPTIONS>

export async function requestOf(context: Context, query: string, options: Options): Promise<SearchRequest> {
  const fallback = (await context.target()).project
  const projects = options.projects.length > 0 || fallback === null ? options.projects : [fallback]
  const request: SearchRequest = { query }
  // --open 30 needs at least 30 results.
  const limit = Math.max(options.limit ?? (options.open === undefined ? 0 : 10), options.open ?? 0)
  if (limit > 0) request.limit = limit
  if (options.offset !== undefined) request.offset = options.offset
  if (projects.length === 1) request.project = projects[0]!
  else if (projects.length > 1) request.project = projects
  if (options.mode !== undefined) request.mode = options.mode
  if (options.sort !== undefined) request.sort = options.sort
  const filter = filterOf(options)
  if (Object.keys(filter).length > 0) request.filter = filter
  if (!options.rerank) request.rerank = false
  if (!options.correct) request.correct = false
  if (options.group) request.group_by = 'document'
  if (options.explain) request.explain = true
  return request
}

function filterOf({ tags, types, path, ...options }: Options): NonNullable<SearchRequest['filter']> {
  const { after, before, from, to, subject, sentAfter, sentBefore } = options
  return {
    ...(tags.length > 0 && { tags }),
    ...(types.length > 0 && { media_types: types }),
    ...(path !== undefined && { path_prefix: path.replace(/^(\.\/+)+/, '') }),
    ...(after !== undefined && { created_after: after }),
    ...(before !== undefined && { created_before: before }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(subject !== undefined && { subject }),
    ...(sentAfter !== undefined && { sent_after: sentAfter }),
    ...(sentBefore !== undefined && { sent_before: sentBefore }),
  }
}

/** Applies --min-score. The API has no such parameter. */
export function withoutLowScores(answer: SearchAnswer, min: number): SearchAnswer {
  return { ...answer, results: answer.results.filter(({ score }) => score >= min) }
}
