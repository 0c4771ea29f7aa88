import type { SearchAnswer, SearchResult } from '../../../contract/search.ts'
import { excerptOf } from '../../../core/excerpt.ts'
import type { Context } from '../../context.ts'
import type { OptionValues } from '../../define.ts'
import { wantsColor, widthOf } from '../../io.ts'
import { choice, flag, integer, option } from '../../options.ts'
import { count, showsLinks } from '../../view/style.ts'
import { oneLine } from '../../view/safe.ts'

/** How to show the results. */
export const PRINT_OPTIONS = {
  full: flag('--full', 'Print whole passages', { conflictsWith: ['context'] }),
  context: option('-C, --context <number>', 'Print this many more lines before and after each snippet', integer(0, 100)),
  names: flag('-l, --names', 'Print only the paths of the documents', { conflictsWith: ['url'] }),
  urls: flag('--url', 'Print only links that open the passages in the browser'),
  format: choice('--format <format>', 'Output format; csv puts an apostrophe before text that looks like a formula', [
    'text',
    'json',
    'jsonl',
    'csv',
  ]),
}
type Options = OptionValues<typeof PRINT_OPTIONS>

/** The size of a snippet on a pipe: 300 characters, with up to 30 to end between words. */
const ONE_LINE = { characters: 270, lines: Infinity, whole: 300 }

export function formatOf(context: Context, { format }: Options): NonNullable<Options['format']> {
  return format ?? (context.json ? 'json' : 'text')
}

/** Returns whether each result becomes one line for other programs. */
export function isForPrograms(context: Context, options: Options): boolean {
  return formatOf(context, options) === 'text' && !options.names && !options.urls && !context.io.stdout.isTTY
}

export async function print(context: Context, answer: SearchAnswer, options: Options): Promise<void> {
  const format = formatOf(context, options)
  const { results } = answer
  if (options.names) return list(context, 'path', [...new Set(results.map(({ document }) => document.path))], format)
  if (options.urls)
    return list(
      context,
      'url',
      results.map(({ url }) => url),
      format,
    )
  if (format === 'json') return context.printJson(answer)
  if (format !== 'text') {
    const { formatCsv, formatJsonLines } = await import('../../view/csv-and-json-lines.ts')
    return context.print(format === 'csv' ? formatCsv(results) : formatJsonLines(results))
  }
  if (isForPrograms(context, options)) return context.print(results.map((result) => pipeLine(result, options)).join(''))
  const { formatResults } = await import('../../view/results.ts')
  const { env, stdout } = context.io
  const links = wantsColor(stdout, env, context.globals.color) && showsLinks(env)
  const moreLines = options.full ? Infinity : (options.context ?? 0)
  await context.printLong(formatResults(results, { width: widthOf(stdout), style: context.style, links, moreLines }))
}

async function list(
  context: Context,
  name: string,
  values: readonly string[],
  format: NonNullable<Options['format']>,
): Promise<void> {
  if (format === 'json') context.printJson(values)
  else if (format === 'text') context.print(values.map((value) => oneLine(value) + '\n').join(''))
  else context.print((await import('../../view/csv-and-json-lines.ts')).formatList(name, values, format))
}

/** `path:line:text` or `path:page:text`, the format of grep, which `cut` and editors understand. */
function pipeLine({ document, chunk, text, highlights }: SearchResult, { full }: Options): string {
  const [from, to] = full ? [0, text.length] : excerptOf(text, highlights, ONE_LINE)
  // Where the first word of the query is, as in grep.
  const at = highlights.find(([start]) => start >= from && start < to)?.[0] ?? from
  // Pages are separated by form feeds. Instances of earlier versions send no lines.
  const place = chunk.line == null ? chunk.page_start + countOf(text, '\f', at) : chunk.line + countOf(text, '\n', at)
  return `${oneLine(document.path)}:${place}:${oneLine(text.slice(from, to))}\n`
}

/** Counts a character before an offset. */
function countOf(text: string, character: string, end: number): number {
  return text.slice(0, end).split(character).length - 1
}

/** Returns what the user should know about an answer, besides its results. `asked` is the mode that the user wanted. */
export function notesOf(answer: SearchAnswer, asked: string): string[] {
  return [...correctionOf(answer), ...relaxedPhrasesOf(answer), ...limitationsOf(answer, asked)]
}

/** The note is printed on a pipe too, because a script may want to search again without the correction. */
function correctionOf({ query, corrected_query: corrected }: SearchAnswer): string[] {
  // Earlier versions of the API lack the field.
  return corrected ? [`Showing results for ${corrected}. To search for ${query}, add --no-correct.`] : []
}

function relaxedPhrasesOf({ relaxed_phrases: phrases }: SearchAnswer): string[] {
  // Earlier versions of the API lack the field.
  if (!phrases?.length) return []
  const quoted = phrases.map((phrase) => `"${phrase}"`).join(' and ')
  return [`No passage contains ${quoted}. Showing results for the words. To search only for the exact text, add --no-correct.`]
}

/** Names the reasons that results may be missing, so that an index that is still filling doesn't look empty. */
function limitationsOf(answer: SearchAnswer, asked: string): string[] {
  const notes: string[] = []
  if (answer.pending_documents > 0)
    notes.push(`${count(answer.pending_documents, 'document is', 'documents are')} not searchable yet.`)
  // Instances of earlier versions don't send the next two fields.
  if (answer.correction_reason) notes.push(answer.correction_reason)
  if (answer.truncated)
    notes.push(
      `The answer has only ${count(answer.results.length, 'result')}, because more would exceed the size limit of the instance. For the next results, use --offset.`,
    )
  if (answer.mode_reason !== null) notes.push(answer.mode_reason)
  else if (answer.mode !== asked) notes.push(`Searched in ${answer.mode} mode only.`)
  return notes
}
