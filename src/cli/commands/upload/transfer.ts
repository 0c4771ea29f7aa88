import type { Client, UploadOptions } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { cancelled, PartialFailure } from '../../exit.ts'
import { count } from '../../view/style.ts'
import type { Differences } from './compare.ts'
import type { PlannedFile, Refusal } from './plan.ts'
import { createProgress } from './progress.ts'
import { printResult } from './result.ts'
import type { Result } from './result.ts'
import { sendAll } from './send.ts'
import type { Uploaded } from './send.ts'
import { DocumentWatch } from './wait.ts'

/** What to upload, after the comparison with what the project has. */
export interface Work {
  files: readonly PlannedFile[]
  /** Documents of files that need not be sent. */
  unchanged: readonly Uploaded[]
  refused: readonly Refusal[]
  counts: Differences['counts'] | null
}

/** Uploads the files and prints the result. Throws PartialFailure for failed files, and what ended the upload early. */
export async function transfer(
  context: Context,
  client: Client,
  { files, unchanged, refused, counts }: Work,
  settings: UploadOptions,
  { waits }: { waits: boolean },
): Promise<void> {
  const { signal } = context.io
  const planned = files.length + unchanged.length + refused.length
  const result: Result = { documents: new Map(), refused: [...refused], planned, counts }
  const progress = createProgress(context, files, waits)
  const fileOf = new Map<string, PlannedFile>()
  /** Files that the instance has neither accepted nor refused yet. */
  const unanswered = new Set(files)
  const watch = waits ? new DocumentWatch(client, signal, changed) : null

  function changed(document: Uploaded): void {
    result.documents.set(document.id, document)
    const file = fileOf.get(document.id)
    const isDone = document.status === 'ready' || document.status === 'failed'
    if (file !== undefined && watch !== null) progress.state(file, isDone ? null : document.status)
  }

  // An unchanged document may still wait to be processed.
  for (const document of unchanged) {
    if (watch === null) changed(document)
    else watch.add(document)
  }
  let failure: Error | undefined
  try {
    await sendAll(
      client,
      files,
      { ...settings, signal },
      {
        sent: (file, bytes) => progress.sent(file, bytes),
        acknowledged(file, document) {
          if (file !== undefined) {
            unanswered.delete(file)
            progress.uploaded(file)
            fileOf.set(document.id, file)
          }
          if (watch === null) changed(document)
          else watch.add(document)
        },
        refused(file, refusal) {
          result.refused.push(refusal)
          if (file === undefined) return
          unanswered.delete(file)
          progress.uploaded(file)
        },
        waiting: (seconds, reason) => progress.note(`Waiting ${seconds} s: ${reason}`),
      },
    )
    await watch?.settled()
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
  } finally {
    watch?.close()
    progress.stop()
  }
  if (isDiskFull(failure) && result.documents.size > 0) {
    for (const { path, name } of unanswered) result.refused.push({ path, name, code: failure.code, message: failure.detail })
    failure = undefined
  }
  if (failure === undefined || result.documents.size + result.refused.length > 0) printResult(context, result)
  conclude(result, failure)
}

/** Returns true if the disk of the instance is full. Then the instance has stored a part of the upload and refuses the rest. */
function isDiskFull(error: Error | undefined): error is ClientError {
  return error instanceof ClientError && error.code === 'disk_full'
}

/** Throws what the user needs to know about an upload that did not go through. The instance keeps what it has acknowledged. */
function conclude({ documents, refused, planned }: Result, failure: Error | undefined): void {
  const stored = `${documents.size} of ${count(planned, 'file')} ${documents.size === 1 ? 'is' : 'are'} stored and will be processed.`
  if (failure instanceof ClientError && failure.code === 'aborted') {
    // Everything was sent, and only the waiting ended early.
    if (documents.size + refused.length >= planned) throw cancelled(`Cancelled. ${stored}`)
    throw cancelled(
      `Cancelled. ${stored} The rest was not acknowledged. To continue, run the command again: no file is stored twice.`,
    )
  }
  if (failure !== undefined) {
    if (documents.size > 0) failure.message += ` (${stored})`
    throw failure
  }
  const failed = [...documents.values()].filter((document) => document.status === 'failed').length + refused.length
  if (failed === 0) return
  throw new PartialFailure(
    failed === planned ? `${count(failed, 'file')} failed.` : `${failed} of ${count(planned, 'file')} failed.`,
  )
}
