import type { SearchAnswer, SearchRequest, SearchResult } from '../../contract/search.ts'
import type { Context } from '../context.ts'
import { defineCommand } from '../define.ts'
import type { OptionValues } from '../define.ts'
import { EXIT, usage } from '../exit.ts'
import { canAsk, wantsColor, widthOf } from '../io.ts'
import { argumentList, choice, flag, integer, option, repeatable, text } from '../options.ts'
import { showsLinks } from '../view/hyperlink.ts'
import { oneLine } from '../view/safe.ts'
import { count } from '../view/style.ts'

const OPTIONS = {
  projects: repeatable(text('-p, --project <name>', 'Search only this project (ID or name), repeatable')),
  limit: option('-n, --limit <number>', 'Maximum number of results, 1 to 100 (default 10)', integer(1, 100)),
  mode: choice('--mode <mode>', 'How to search (default hybrid)', ['hybrid', 'vector', 'keyword']),
  sort: choice('--sort <order>', 'Order of the results (default relevance)', ['relevance', 'newest', 'name']),
  rerank: flag('--no-rerank', "Don't rerank: keep the order of the first search stage"),
  correct: flag('--no-correct', "Don't correct misspelled words, nor search for the words of phrases that no passage contains"),
  group: flag('-g, --group', 'Show one result per document'),
  explain: flag('--explain', 'Show the rank and score of each stage'),
  open: option('--open <number>', 'Open the document of this result', integer(1, 100)),
  names: flag('-l, --names', 'Print only document names'),
  format: choice('--format <format>', 'Output format; csv puts an apostrophe before text that looks like a formula', [
    'text',
    'json',
    'jsonl',
    'csv',
  ]),
}
const DETAILS = `
Operators in a query:
  "third working day"    passages with exactly this phrase (if there are none, with its words)
  -deposit, -"late fee"  no passages with this word or phrase
  name:lease             only documents with this in their name
  -name:lease            no documents with this in their name`

type Options = OptionValues<typeof OPTIONS>

export default defineCommand({
  name: 'search',
  summary: 'Search for passages',
  description: 'Search for passages by meaning and by keyword.',
  arguments: { words: argumentList('[query...]', 'Question or keywords') },
  options: OPTIONS,
  details: DETAILS,
  examples: [
    'docsearch search when is the rent due',
    'docsearch search "notice period" --project contracts --group',
    'docsearch search invoice --sort newest',
    `docsearch search '"third working day" rent name:lease'`,
    `docsearch search 'rent -deposit -"late fee"'`,
    'docsearch search rent | cut -d: -f1,2',
  ],
  async run(context, { words }, options) {
    const query = await queryOf(context, words)
    const client = await context.client()
    const request = await requestOf(context, query, options)
    const answer = await client.search(request)
    noteCorrection(context, answer)
    noteRelaxedPhrases(context, answer)
    noteLimitations(context, answer, request.mode ?? 'hybrid')

    if (options.open !== undefined) return openResult(context, answer, options.open)
    await print(context, answer, options)
    if (answer.results.length > 0) return EXIT.done
    context.notice('No results.')
    return EXIT.nothing
  },
})

async function queryOf(context: Context, words: readonly string[]): Promise<string> {
  const query = words.join(' ')
  if (query.trim() !== '') return query
  if (!canAsk(context.io)) throw usage('Missing query. Usage: docsearch search QUERY')
  const prompts = await context.io.prompts()
  return prompts.input({ message: 'What are you looking for?' })
}

async function requestOf(context: Context, query: string, options: Options): Promise<SearchRequest> {
  const fallback = (await context.target()).project
  const projects = options.projects.length > 0 || fallback === null ? options.projects : [fallback]
  const request: SearchRequest = { query }
  // --open 30 needs at least 30 results.
  const limit = Math.max(options.limit ?? (options.open === undefined ? 0 : 10), options.open ?? 0)
  if (limit > 0) request.limit = limit
  if (projects.length === 1) request.project = projects[0]!
  else if (projects.length > 1) request.project = projects
  if (options.mode !== undefined) request.mode = options.mode
  if (options.sort !== undefined) request.sort = options.sort
  if (!options.rerank) request.rerank = false
  if (!options.correct) request.correct = false
  if (options.group) request.group_by = 'document'
  if (options.explain) request.explain = true
  return request
}

/** Printed on a pipe too: a script may want to search again without the correction. */
function noteCorrection(context: Context, { query, corrected_query: corrected }: SearchAnswer): void {
  // Earlier versions of the API lack the field.
  if (corrected) context.notice(`Showing results for ${corrected}. To search for ${query}, add --no-correct.`)
}

function noteRelaxedPhrases(context: Context, { relaxed_phrases: phrases }: SearchAnswer): void {
  // Earlier versions of the API lack the field.
  if (!phrases?.length) return
  const quoted = phrases.map((phrase) => `"${phrase}"`).join(' and ')
  context.notice(
    `No passage contains ${quoted}. Showing results for the words. To search only for the exact text, add --no-correct.`,
  )
}

/** Names the reasons why results may be missing, so that an index that is still filling doesn't look empty. */
function noteLimitations(context: Context, answer: SearchAnswer, asked: string): void {
  if (answer.pending_documents > 0)
    context.notice(`${count(answer.pending_documents, 'document is', 'documents are')} not searchable yet.`)
  // Instances of earlier versions don't send the next two fields.
  if (answer.correction_reason) context.notice(answer.correction_reason)
  if (answer.truncated)
    context.notice(
      `The answer has only ${count(answer.results.length, 'result')}, because more would exceed the size limit of the instance.`,
    )
  if (answer.mode !== asked)
    context.notice(`Searched in ${answer.mode} mode only${answer.mode_reason === null ? '.' : `: ${answer.mode_reason}`}`)
  else if (answer.mode_reason !== null) context.notice(answer.mode_reason)
}

async function print(context: Context, answer: SearchAnswer, options: Options): Promise<void> {
  const format = options.format ?? (context.json ? 'json' : 'text')
  if (options.names) {
    const names = [...new Set(answer.results.map((result) => result.document.name))]
    if (format === 'json') context.printJson(names)
    else if (format !== 'text') context.print((await import('../view/records.ts')).formatNames(names, format))
    else context.print(names.map((name) => oneLine(name) + '\n').join(''))
  } else if (format === 'json') {
    context.printJson(answer)
  } else if (format === 'jsonl' || format === 'csv') {
    const { formatCsv, formatJsonLines } = await import('../view/records.ts')
    context.print(format === 'csv' ? formatCsv(answer.results) : formatJsonLines(answer.results))
  } else if (context.io.stdout.isTTY) {
    const { formatResults } = await import('../view/results.ts')
    const { env, stdout } = context.io
    const links = wantsColor(stdout, env, context.globals.color) && showsLinks(env)
    context.print(formatResults(answer.results, { width: widthOf(stdout), style: context.style, links }))
  } else {
    context.print(answer.results.map(pipeLine).join(''))
  }
}

/** `name:page:text`, the format of grep, which `cut` and editors understand. */
function pipeLine(result: SearchResult): string {
  return `${oneLine(result.document.name)}:${result.chunk.page_start}:${oneLine(result.text)}\n`
}

async function openResult(context: Context, answer: SearchAnswer, number: number): Promise<number> {
  if (answer.results.length === 0) {
    context.notice('No results.')
    return EXIT.nothing
  }
  const result = answer.results[number - 1]
  if (result === undefined)
    throw usage(
      `Cannot open result ${number}: there ${answer.results.length === 1 ? 'is only 1 result' : `are only ${answer.results.length} results`}.`,
    )
  const [{ download, nameToOpen }, { mkdtemp }, { tmpdir }, { join }] = await Promise.all([
    import('../download.ts'),
    import('node:fs/promises'),
    import('node:os'),
    import('node:path'),
  ])
  const client = await context.client()
  const document = await client.documents.get(result.document.id)
  // The file stays, because the program that shows it may read it at any time.
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-'))
  const file = join(folder, nameToOpen(document))
  await download(client, document, file, { force: false, signal: context.io.signal })
  await context.io.openFile(file)
  if (context.json) context.printJson({ file, document: result.document, page: result.chunk.page_start })
  else context.printLine(`${file}:${result.chunk.page_start}`)
  return EXIT.done
}
