import { ClientError, shownCode } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { PartialFailure } from '../../exit.ts'
import { oneLine } from '../../view/safe.ts'

/** Does something to each document. One that is not there does not keep the others from their turn; if it is the only one, its error is the command's. */
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
      if (!(error instanceof DocsearchError) || !isOfThisOne(error) || ids.length === 1) {
        // The instance went away in between: what was done before has to be known all the same.
        if (succeeded.length + failed.length > 0) list()
        throw error
      }
      failed.push({ id, code: shownCode(error), message: error.message })
    }
  }
  list()
  if (failed.length === 0) return
  throw new PartialFailure(`${failed.length} of ${ids.length} failed.`, { failed })
}

/** It is not there, is not meant by that name alone, or cannot be done with. */
function isOfThisOne(error: DocsearchError): boolean {
  if (!(error instanceof ClientError)) return error.code === 'document_not_found' || error.code === 'usage'
  return error.status === 404 || error.status === 409 || error.status === 422
}
