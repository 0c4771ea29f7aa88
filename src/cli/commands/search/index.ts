import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { SearchAnswer, SearchRequest } from '../../../contract/search.ts'
import type { Context } from '../../context.ts'
import { defineCommand, type OptionValues } from '../../define.ts'
import { EXIT, usage } from '../../exit.ts'
import { canAsk } from '../../io.ts'
import { argumentList } from '../../options.ts'
import { REQUEST_OPTIONS, requestOf, withoutLowScores } from './request.ts'
import { openResult } from './open.ts'
import { isForPrograms, notesOf, print, PRINT_OPTIONS } from './print.ts'

const DETAILS = `\
Operators in a query:
  "third working day"    passages with exactly this phrase (if there are none, with its words)
  -deposit, -"late fee"  no passages with this word or phrase
  name:lease             only documents with this in their name
  -name:lease            no documents with this in their name
  path:contracts/2026/   only documents whose path starts with this
  tag:signed             only documents with this tag
  type:pdf               only documents of this type
  from:ada, to:bob       only messages from or to these people, and their attachments
  subject:ferry          only messages with this in the subject
  after:2026-03          only messages sent in March 2026 or later; the same with before:
  -path:, -tag:, -type:  no such documents`

export default defineCommand({
  name: 'search',
  summary: 'Search for passages',
  description:
    'Search for passages by meaning and by keyword. Without a query on a terminal, search while you type: the arrow keys move, Enter opens the document, and Esc ends.',
  arguments: { words: argumentList('[query...]', 'Question or keywords') },
  options: { ...REQUEST_OPTIONS, ...PRINT_OPTIONS },
  details: DETAILS,
  examples: [
    'docsearch search when is the rent due',
    'docsearch search "notice period" --project contracts --group',
    'docsearch search invoice --sort newest',
    `docsearch search '"third working day" rent name:lease'`,
    `docsearch search 'rent -deposit -"late fee"'`,
    'docsearch search rent --path contracts/2026/ --type pdf --after 2026-01-01',
    'docsearch search minutes --from ada@example.org --sent-after 2026-01-01',
    'docsearch search rent | cut -d: -f1,2',
  ],
  async run(context, { words }, options) {
    refuseWithoutEffect(context, options)
    if (isBlank(words) && isInteractive(context, options)) {
      const { searchInteractively } = await import('./interactive.ts')
      return searchInteractively(context, options)
    }
    const query = await queryOf(context, words)
    const client = await context.client()
    const request = await requestOf(context, query, options)
    // One line for each document, of which --limit is then the number.
    if (options.names) request.group_by = 'document'
    const found = await searchWith(client, isForPrograms(context, options) ? { ...request, lines: true } : request)
    const answer = withoutLowScores(found, options.minScore ?? 0)
    for (const note of notesOf(answer, request.mode ?? 'hybrid')) context.notice(note)

    if (options.open !== undefined) return openResult(context, answer, options.open)
    await print(context, answer, options)
    if (answer.results.length > 0) return EXIT.done
    context.notice('No results.')
    return EXIT.nothing
  },
})

/** Throws a usage error for options that would change nothing in this output. */
function refuseWithoutEffect(context: Context, options: OptionValues<typeof PRINT_OPTIONS> & { explain: boolean }): void {
  if (context.json && options.format !== undefined && options.format !== 'json')
    throw usage(`--json and --format ${options.format} contradict each other. Use one of them.`)
  if (!isForPrograms(context, options)) return
  if (options.context !== undefined)
    throw usage('--context shows more lines on a terminal only. On a pipe, each result is one line: use --full or --json.')
  if (options.explain) throw usage('--explain shows scores on a terminal and with --json, but not on a pipe. Add --json.')
}

function isBlank(words: readonly string[]): boolean {
  return words.every((word) => word.trim() === '')
}

/** Returns whether to search while the user types: on a terminal, unless the user asked for a certain output. */
function isInteractive(context: Context, options: OptionValues<typeof PRINT_OPTIONS> & { open?: number | undefined }): boolean {
  const { names, urls, format, open } = options
  const isPlain = context.terminal && format === undefined && open === undefined && !names && !urls
  return isPlain && canAsk(context.io) && context.io.env['TERM'] !== 'dumb'
}

async function queryOf(context: Context, words: readonly string[]): Promise<string> {
  if (!isBlank(words)) return words.join(' ')
  if (!canAsk(context.io)) throw usage('Missing query. Usage: docsearch search QUERY')
  const prompts = await context.io.prompts()
  return prompts.input({ message: 'What are you looking for?' })
}

/** Asks an instance of an earlier version, which doesn't know lines, without them. */
async function searchWith(client: Client, request: SearchRequest): Promise<SearchAnswer> {
  try {
    return await client.search(request)
  } catch (error) {
    const { lines, ...known } = request
    const isUnknown =
      error instanceof ClientError && error.errors.some((fault) => `${fault.path} ${fault.message}`.includes('lines'))
    if (lines === undefined || !isUnknown) throw error
    return client.search(known)
  }
}
