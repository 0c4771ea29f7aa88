import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { PartialFailure } from '../../exit.ts'
import { forThisCommandLine } from '../../report.ts'
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
  for (const id of ids) {
    try {
      await act(id)
      succeeded.push(id)
      if (!context.json) context.print(`${oneLine(id)}\t${done}\n`)
    } catch (error) {
      if (!(error instanceof DocsearchError) || !isOfThisOne(error) || ids.length === 1) throw error
      failed.push({ id, code: error.code, message: forThisCommandLine(error.message) })
    }
  }
  if (context.json) context.printJson({ [done]: succeeded, failed })
  if (failed.length === 0) return
  for (const { id, message } of failed) context.report(`${oneLine(id)}\t${oneLine(message)}\n`)
  throw new PartialFailure(`${failed.length} of ${ids.length} failed.`, { failed })
}

/** It is not there, is not meant by that name alone, or cannot be done with. */
function isOfThisOne(error: DocsearchError): boolean {
  if (!(error instanceof ClientError)) return error.code === 'document_not_found' || error.code === 'usage'
  return error.status === 404 || error.status === 409 || error.status === 422
}
