import type { Client } from '../../../client/client.ts'
import { ClientError, shownCode } from '../../../client/errors.ts'
import type { DocumentBatch, DocumentBatchAnswer } from '../../../contract/documents.ts'
import { DocsearchError, isErrorCode } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { PartialFailure } from '../../exit.ts'
import { oneLine } from '../../view/safe.ts'
import { count } from '../../view/style.ts'

/** The API accepts at most this many documents in one request. */
const MAX_AT_ONCE = 1_000

/** A document to change, or the error from looking it up. */
type Target = { id: string; error: null } | { id: null; error: Error }

/** A batch without the IDs of its documents. */
type Action = DocumentBatch extends infer Batch ? (Batch extends unknown ? Omit<Batch, 'ids'> : never) : never

/** What a batch answered for a document that it changed. */
type Changed = DocumentBatchAnswer['results'][number]

interface Changes {
  client: Client
  /** The names and IDs that the user gave. */
  documents: readonly string[]
  /** Returns the ID of the document with this name or ID. */
  find: (given: string) => Promise<string>
  action: Action
  /** What the documents are afterwards, such as "deleted". */
  done: string
  /** Returns more fields for --json. */
  fields?: () => Promise<Record<string, unknown>>
}

/**
 * Changes several documents with few requests: sends batches, and then calls `change` for each document in turn. `change` gets the result from the
 * batch that changed the document. Without a result, it changes the document with a separate request, because a refusal in a batch has no message,
 * and instances of version 0.1.0 don't accept batches. `change` returns the ID to list, or nothing to list what the user named.
 */
export async function changeEach(
  context: Context,
  { client, documents, find, action, done, fields }: Changes,
  change: (id: string, changed: Changed | undefined) => Promise<string | void>,
): Promise<void> {
  const targets = await targetsOf(documents, find)
  const changed = await changeTogether(client, targets, action)
  const act = async (given: string) => {
    const { id, error } = targets.get(given)!
    if (id === null) throw error
    return change(id, changed.get(id))
  }
  // Changed documents come first, because a request for one of the others may end the command.
  const isChanged = (given: string) => changed.has(targets.get(given)!.id ?? '')
  const changedFirst = [...targets.keys()].toSorted((a, b) => Number(isChanged(b)) - Number(isChanged(a)))
  await eachDocument(context, changedFirst, done, act, fields)
}

/** Finds all documents before any is changed. Returns them by the name or ID that the user gave, each document once. */
async function targetsOf(documents: readonly string[], find: (given: string) => Promise<string>): Promise<Map<string, Target>> {
  const targets = new Map<string, Target>()
  const ids = new Set<string>()
  for (const given of documents) {
    try {
      const id = await find(given)
      if (!ids.has(id)) targets.set(given, { id, error: null })
      ids.add(id)
    } catch (error) {
      if (!(error instanceof DocsearchError) || !concernsOneDocument(error)) throw error
      targets.set(given, { id: null, error })
    }
  }
  return targets
}

/** Returns the results of the changed documents by their IDs. In each request, attachments follow their message. */
async function changeTogether(
  client: Client,
  targets: ReadonlyMap<string, Target>,
  action: Action,
): Promise<Map<string, Changed>> {
  const changed = new Map<string, Changed>()
  const ids = [...targets.values()].flatMap(({ id }) => id ?? [])
  if (ids.length < 2) return changed
  try {
    for (let i = 0; i < ids.length; i += MAX_AT_ONCE) {
      const batch: DocumentBatch = { ...action, ids: ids.slice(i, i + MAX_AT_ONCE) }
      const { results } = await client.documents.batch(batch)
      for (const result of results) if (result.status < 400) changed.set(result.id, result)
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
  }
  return changed
}

/**
 * Does something to each document. A document that can't be processed doesn't stop the others; a failure that concerns
 * all of them does. A single document's error is thrown. `act` returns the ID of the document, or nothing to list what the user named.
 * `fields` returns more fields for --json.
 */
async function eachDocument(
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
function concernsOneDocument(error: DocsearchError): boolean {
  if (!(error instanceof ClientError)) return error.code === 'document_not_found' || error.code === 'ambiguous_name'
  return error.status === 404 || error.status === 409 || error.status === 422
}
