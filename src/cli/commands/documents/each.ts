import { ClientError, shownCode } from '../../../client/errors.ts'
import { DocsearchError, isErrorCode } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { PartialFailure } from '../../exit.ts'
import { oneLine } from '../../view/safe.ts'
import { count } from '../../view/style.ts'

/**
 * Does something to each document. A document that can't be processed doesn't stop the others; a failure that concerns
 * all of them does. A single document's error is thrown. `act` returns the ID of the document, or nothing to list what the user named.
 * `fields` returns more fields for --json.
 */
export async function eachDocument(
  context: Context,
  ids: readonly string[],
  done: string,
  act: (id: string) => Promise<string | void>,
  fields: () => Promise<Record<string, unknown>> = async () => ({}),
): Promise<void> {
  const succeeded: string[] = []
  const failed: { id: string; code: string; message: string }[] = []
  const list = async (): Promise<void> => {
    if (context.json) context.printJson({ [done]: succeeded, failed, ...(await fields()) })
    for (const { id, message } of failed) context.report(`${oneLine(id)}\t${oneLine(message)}\n`)
  }
  for (const id of ids) {
    try {
      succeeded.push((await act(id)) ?? id)
      if (!context.json) context.print(`${oneLine(id)}\t${done}\n`)
    } catch (error) {
      if (!(error instanceof DocsearchError) || !concernsOneDocument(error) || ids.length === 1) {
        // The user still needs to know what was done before.
        if (succeeded.length + failed.length > 0) await list()
        throw error
      }
      failed.push({ id, code: shownCode(error), message: error.message })
    }
  }
  await list()
  if (failed.length === 0) return
  if (succeeded.length > 0) throw new PartialFailure(`${failed.length} of ${count(ids.length, 'document')} failed.`, { failed })
  // As for a single document, the exit code says what went wrong.
  const code = isErrorCode(failed[0]!.code) ? failed[0]!.code : 'document_not_found'
  throw new DocsearchError(code, `All ${count(ids.length, 'document')} failed.`, { details: { failed } })
}

/** True for a document that doesn't exist, an ambiguous name, or a document in the wrong state. */
export function concernsOneDocument(error: DocsearchError): boolean {
  if (!(error instanceof ClientError)) return error.code === 'document_not_found' || error.code === 'ambiguous_name'
  return error.status === 404 || error.status === 409 || error.status === 422
}
