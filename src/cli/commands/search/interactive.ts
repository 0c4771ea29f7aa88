import type { SearchAnswer, SearchResult } from '../../../contract/search.ts'
import type { Context } from '../../context.ts'
import type { OptionValues } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { formatBrowsedResults } from '../../view/browsed-results.ts'
import { openResult } from './open.ts'
import { notesOf } from './print.ts'
import { type REQUEST_OPTIONS, requestOf, withoutLowScores } from './request.ts'

/** Searches while the user types, and opens the result that they choose. Returns the exit code. */
export async function searchInteractively(context: Context, options: OptionValues<typeof REQUEST_OPTIONS>): Promise<number> {
  const client = await context.client()
  const prompts = await context.io.prompts()
  let answer: SearchAnswer | undefined
  const chosen = await prompts.browse<SearchResult>({
    message: 'Search:',
    async find(query, signal) {
      const request = await requestOf(context, query, options)
      const found = await client.search(request, AbortSignal.any([signal, context.io.signal]))
      const shown = withoutLowScores(found, options.minScore ?? 0)
      if (!signal.aborted) answer = shown
      const notes = notesOf(shown, request.mode ?? 'hybrid')
      return { items: shown.results, note: [...(shown.results.length === 0 ? ['No results.'] : []), ...notes].join(' ') }
    },
    draw: (browsed, size) => formatBrowsedResults(browsed, size, context.style),
  })
  if (chosen === null || answer === undefined) return EXIT.done
  return openResult(context, answer, answer.results.indexOf(chosen) + 1)
}
