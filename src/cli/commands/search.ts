import { join } from 'node:path'
import type { SearchAnswer, SearchRequest, SearchResult } from '../../contract/search.ts'
import type { Context } from '../context.ts'
import { EXIT, usage } from '../exit.ts'
import { canAsk, wantsColor, widthOf } from '../io.ts'
import { showsLinks } from '../view/hyperlink.ts'
import { oneLine } from '../view/safe.ts'
import { count } from '../view/style.ts'

interface Options {
  project?: string[]
  limit?: number
  mode?: NonNullable<SearchRequest['mode']>
  rerank: boolean
  correct: boolean
  group?: boolean
  explain?: boolean
  open?: number
  names?: boolean
  format?: 'text' | 'json' | 'jsonl' | 'csv'
}

export async function run(context: Context, words: string[], options: Options): Promise<number> {
  const query = await queryOf(context, words)
  const client = await context.client()
  const request = await requestOf(context, query, options)
  const answer = await client.search(request)
  sayWhatWasCorrected(context, answer)
  sayWhatIsMissing(context, answer, request.mode ?? 'hybrid')

  if (options.open !== undefined) return openResult(context, answer, options.open)
  await print(context, answer, options)
  if (answer.results.length > 0) return EXIT.done
  context.notice('Nothing found.')
  return EXIT.nothing
}

async function queryOf(context: Context, words: readonly string[]): Promise<string> {
  const query = words.join(' ')
  if (query.trim() !== '') return query
  if (!canAsk(context.io)) throw usage('What is to be found? `docsearch search QUERY`')
  const prompts = await context.io.prompts()
  return prompts.input({ message: 'Search for' })
}

async function requestOf(context: Context, query: string, options: Options): Promise<SearchRequest> {
  const fallback = (await context.target()).project
  const projects = options.project ?? (fallback === null ? [] : [fallback])
  const request: SearchRequest = { query }
  // Asking for a result beyond the limit of the page asks for that page.
  const limit = Math.max(options.limit ?? (options.open === undefined ? 0 : 10), options.open ?? 0)
  if (limit > 0) request.limit = limit
  if (projects.length === 1) request.project = projects[0]!
  else if (projects.length > 1) request.project = projects
  if (options.mode !== undefined) request.mode = options.mode
  if (!options.rerank) request.rerank = false
  if (!options.correct) request.correct = false
  if (options.group === true) request.group_by = 'document'
  if (options.explain === true) request.explain = true
  return request
}

/** On a pipe too: what was found is not what was asked for, and a script may insist. */
function sayWhatWasCorrected(context: Context, { query, corrected_query: corrected }: SearchAnswer): void {
  // An instance of an earlier version says nothing of it.
  if (corrected)
    context.notice(`Showing results for ${oneLine(corrected)}; search instead for ${oneLine(query)} with --no-correct.`)
}

/** An answer from an index that is still filling must not look like "nothing there". */
function sayWhatIsMissing(context: Context, answer: SearchAnswer, asked: string): void {
  if (answer.pending_documents > 0)
    context.notice(`${count(answer.pending_documents, 'document is', 'documents are')} not searchable yet.`)
  if (answer.mode !== asked)
    context.notice(`Searched by ${answer.mode} only${answer.mode_reason === null ? '' : `: ${answer.mode_reason}`}`)
}

async function print(context: Context, answer: SearchAnswer, options: Options): Promise<void> {
  const format = options.format ?? (context.json ? 'json' : 'text')
  if (options.names === true) {
    const names = [...new Set(answer.results.map((result) => result.document.name))]
    if (format === 'json') context.printJson(names)
    else if (format !== 'text') context.print((await import('../view/records.ts')).formatNames(names, format))
    else context.print(names.map((name) => oneLine(name) + '\n').join(''))
  } else if (format === 'json') {
    context.printJson(answer)
  } else if (format === 'jsonl' || format === 'csv') {
    const { formatCsv, formatJsonLines } = await import('../view/records.ts')
    context.print(format === 'csv' ? formatCsv(answer.results) : formatJsonLines(answer.results))
  } else if (context.io.stdout.isTTY === true) {
    const { formatResults } = await import('../view/results.ts')
    const { env, stdout } = context.io
    const links = wantsColor(stdout, env, context.globals.color) && showsLinks(env)
    context.print(formatResults(answer.results, { width: widthOf(stdout), style: context.style, links }))
  } else {
    context.print(answer.results.map(pipeLine).join(''))
  }
}

/** `name:page:text`, as grep prints, for `cut`, editors and further greps. */
function pipeLine(result: SearchResult): string {
  return `${oneLine(result.document.name)}:${result.chunk.page_start}:${oneLine(result.text)}\n`
}

async function openResult(context: Context, answer: SearchAnswer, number: number): Promise<number> {
  if (answer.results.length === 0) {
    context.notice('Nothing found.')
    return EXIT.nothing
  }
  const result = answer.results[number - 1]
  if (result === undefined)
    throw usage(`There ${answer.results.length === 1 ? 'is only 1 result' : `are only ${answer.results.length} results`}.`)
  const [{ download, nameToOpen }, { mkdtemp }, { tmpdir }] = await Promise.all([
    import('../download.ts'),
    import('node:fs/promises'),
    import('node:os'),
  ])
  const client = await context.client()
  const document = await client.documents.get(result.document.id)
  // Not removed: the program that shows it may read it at any time.
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-'))
  const file = join(folder, nameToOpen(document))
  await download(client, document, file, { force: false, signal: context.io.signal })
  await context.io.openFile(file)
  if (context.json) context.printJson({ file, document: result.document, page: result.chunk.page_start })
  else context.print(`${file}:${result.chunk.page_start}\n`)
  return EXIT.done
}
