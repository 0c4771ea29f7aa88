import { documentPath } from '../../../contract/addresses.ts'
import type { SearchAnswer, SearchResult } from '../../../contract/search.ts'
import type { Context } from '../../context.ts'
import { EXIT, usage } from '../../exit.ts'

/** Opens the document of a result at its page. Returns the exit code. */
export async function openResult(context: Context, answer: SearchAnswer, number: number): Promise<number> {
  if (answer.results.length === 0) {
    context.notice('No results.')
    return EXIT.nothing
  }
  const result = answer.results[number - 1]
  if (result === undefined)
    throw usage(
      `Cannot open result ${number}: there ${answer.results.length === 1 ? 'is only 1 result' : `are only ${answer.results.length} results`}.`,
    )
  const { openDocument } = await import('../../open-document.ts')
  const client = await context.client()
  const document = await client.documents.get(result.document.id)
  const page = result.chunk.page_start
  const opened = await openDocument(context, client, {
    document,
    page,
    address: addressOf(result, (await context.target()).address),
  })
  if (context.json) context.printJson({ ...opened, document: result.document, page })
  else context.printLine(`${opened.file}:${page}`)
  return EXIT.done
}

/** Returns the address of the passage, or of its document if the address is not one of this instance. */
function addressOf({ url, document, chunk }: SearchResult, server: string): string {
  return url?.startsWith(`${server}/`) ? url : `${server}${documentPath(document.id)}?page=${chunk.page_start}`
}
