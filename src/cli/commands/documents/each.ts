import { ClientError, shownCode } from '../../../client/errors.ts'
import { DocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { PartialFailure } from '../../exit.ts'
import { oneLine } from '../../view/safe.ts'
import { count } from '../../view/style.ts'

/**
 * Does something to each document. A document that can't be processed doesn't stop the others; a failure that concerns
 * all of them does. A single document's error is thrown.
 */
export async function eachDocument(
  context: Context,
  ids: readonly string[],
  done: string,
  act: (id: string) => Promise<unknown>,
): Promise<void> {
  const succeeded: string[] = []
  const failed: { id: string; code: string; message: string }[] = []
  const list = (): void => {
    if (context.json) context.printJson({ [done]: succeeded, failed })
    for (const { id, message } of failed) context.report(`${oneLine(id)}\t${oneLine(message)}\n`)
  }
  for (const id of ids) {
    try {
      await act(id)
      succeeded.push(id)
      if (!context.json) context.print(`${oneLine(id)}\t${done}\n`)
    } catch (error) {
      if (!(error instanceof DocsearchError) || !concernsOneDocument(error) || ids.length === 1) {
        // The user still needs to know what was done before.
        if (succeeded.length + failed.length > 0) list()
        throw error
      }
      failed.push({ id, code: shownCode(error), message: error.message })
    }
  }
  list()
  if (failed.length === 0) return
  throw new PartialFailure(`${failed.length} of ${count(ids.length, 'document')} failed.`, { failed })
}

/** True for a document that doesn't exist, an ambiguous name, or a document in the wrong state. */
function concernsOneDocument(error: DocsearchError): boolean {
  if (!(error instanceof ClientError)) return error.code === 'document_not_found' || error.code === 'ambiguous_name'
  return error.status === 404 || error.status === 409 || error.status === 422
}
