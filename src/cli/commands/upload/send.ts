import { createReadStream } from 'node:fs'
import type { Client, UploadOptions } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import { type UploadFile, batchesOf } from '../../../client/multipart.ts'
import type { UploadAnswer } from '../../../contract/documents.ts'
import { patiently } from './patience.ts'
import type { FoundFile, Refusal } from '../../files/found.ts'

export type Uploaded = UploadAnswer['documents'][number]

export interface SendEvents {
  sent(file: FoundFile, bytes: number): void
  acknowledged(file: FoundFile | undefined, document: Uploaded): void
  refused(file: FoundFile | undefined, refusal: Refusal): void
  /** The instance is busy and has asked to wait. */
  waiting(seconds: number, reason: string): void
}

interface SendOptions extends UploadOptions {
  signal: AbortSignal
  /** Also aborts once another request has failed for good, so that no new request starts. */
  going: AbortSignal
}

const PARALLEL_REQUESTS = 3
// After Ctrl-C, for the answer to a request that is fully sent. A second Ctrl-C ends at once.
const GRACE_MS = 3_000
const REFUSED_STATUSES = new Set([409, 413, 415, 422])

/**
 * Sends every file in several parallel requests, and reports what becomes of each file through `events`.
 * Throws ClientError for a failure that ends the whole upload.
 */
export async function sendAll(
  client: Client,
  files: readonly FoundFile[],
  options: UploadOptions & { signal: AbortSignal },
  events: SendEvents,
): Promise<void> {
  // The tags of a request are those of all its files.
  const byTags = Map.groupBy(files, ({ tags }) => (tags === undefined ? '' : JSON.stringify(tags)))
  const batches = [...byTags.values()].flatMap((group) => batchesOf(group))
  const stop = new AbortController()
  const going = AbortSignal.any([options.signal, stop.signal])
  // Three lines instead of p-limit: workers that take the next batch.
  const worker = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift())
      await sendBatch(client, batch, { ...options, ...(batch[0]?.tags !== undefined && { tags: batch[0].tags }), going }, events)
  }
  const workers = Array.from({ length: Math.min(PARALLEL_REQUESTS, batches.length) }, worker)
  try {
    await Promise.all(workers)
  } catch (error) {
    stop.abort()
    // The requests under way finish and are counted: when cut off, their files might be stored without a report.
    await Promise.allSettled(workers)
    throw error
  }
}

/** Sends one batch. When files of it are refused, sends the others again. */
async function sendBatch(client: Client, batch: FoundFile[], options: SendOptions, events: SendEvents): Promise<void> {
  try {
    reportAnswer(batch, await sendPatiently(client, batch, options, events), events)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const rejected = rejectedOf(error)
    if (rejected !== null) reportAnswer(batch, { documents: [], rejected }, events)
    // The instance could not store the files. It would most likely refuse the files of other requests as well.
    if (error.status >= 500) throw error
    if (rejected !== null) return
    if (error.code === 'file_changed' || error.code === 'file_unreadable') {
      const bad = batch[Number(error.details['index'])]
      events.refused(bad, refusalOf(bad, error))
      const others = batch.filter((file) => file !== bad)
      if (bad !== undefined && others.length > 0) await sendBatch(client, others, options, events)
      return
    }
    if (!REFUSED_STATUSES.has(error.status) && !concernsFiles(error)) throw error
    // The instance has smaller limits, or one file spoils the request: sending the halves finds out which.
    if (batch.length === 1) return events.refused(batch[0], refusalOf(batch[0], error))
    const half = Math.ceil(batch.length / 2)
    await sendBatch(client, batch.slice(0, half), options, events)
    await sendBatch(client, batch.slice(half), options, events)
  }
}

/** True when every invalid field belongs to a single file, not to the whole request. */
function concernsFiles({ status, errors }: ClientError): boolean {
  return status === 400 && errors.length > 0 && errors.every(({ path }) => /^(file|path)(\.|$)/.test(path))
}

async function sendPatiently(
  client: Client,
  batch: FoundFile[],
  { going, ...options }: SendOptions,
  events: SendEvents,
): Promise<UploadAnswer> {
  const send = async () => {
    const cut = cutUnlessSent(batch, options.signal)
    const onProgress = ({ index, sent }: { index: number; sent: number }) => {
      cut.sent(index, sent)
      events.sent(batch[index]!, sent)
    }
    try {
      return await client.upload(batch.map(toUploadFile), { ...options, signal: cut.signal, onProgress })
    } finally {
      cut.done()
    }
  }
  return patiently(send, going, (seconds, reason) => events.waiting(seconds, reason))
}

function toUploadFile(file: FoundFile): UploadFile {
  return {
    path: file.path,
    name: file.name,
    size: file.size,
    open: () => createReadStream(file.file, { highWaterMark: 256 * 1024 }),
  }
}

/**
 * Cuts a request at Ctrl-C unless all of its files are sent: the instance then drops the file it was receiving. A request that is fully sent will
 * be stored anyway, so its answer is awaited, and the report matches what the instance has.
 */
function cutUnlessSent(batch: readonly FoundFile[], cancelled: AbortSignal) {
  const controller = new AbortController()
  const last = batch.findLastIndex((file) => file.size > 0)
  let isSent = last === -1
  let limit: NodeJS.Timeout | undefined
  const cut = () => controller.abort()
  const onCancel = (): void => {
    if (isSent) limit = setTimeout(cut, GRACE_MS)
    else cut()
  }
  if (cancelled.aborted) cut()
  else cancelled.addEventListener('abort', onCancel, { once: true })
  return {
    signal: controller.signal,
    sent(index: number, bytes: number) {
      if (index === last && bytes >= batch[last]!.size) isSent = true
    },
    done() {
      clearTimeout(limit)
      cancelled.removeEventListener('abort', onCancel)
    },
  }
}

/** The list of refused files, which an instance that refuses every file sends as an error. */
function rejectedOf(error: ClientError): UploadAnswer['rejected'] | null {
  const list: unknown = error.details['rejected']
  if (!Array.isArray(list) || list.length === 0) return null
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  return list.map((entry: Record<string, unknown>) => ({
    name: text(entry['name'], ''),
    code: text(entry['code'], error.shownCode),
    message: text(entry['message'], error.detail),
    ...(entry['convertible'] === true && { convertible: true }),
  }))
}

function refusalOf(file: FoundFile | undefined, error: ClientError): Refusal {
  return { path: file?.path ?? '', name: file?.name ?? '', code: error.shownCode, message: error.detail }
}

/** Reports an answer file by file: finds the file of a document by its path, and of a refusal, which has only a name, among the rest. */
function reportAnswer(
  batch: readonly FoundFile[],
  answer: Pick<UploadAnswer, 'documents' | 'rejected'>,
  events: SendEvents,
): void {
  const left = new Set(batch)
  const take = (fits: (file: FoundFile) => boolean): FoundFile | undefined => {
    const found = [...left].find(fits)
    if (found !== undefined) left.delete(found)
    return found
  }
  for (const document of answer.documents) {
    events.acknowledged(take((file) => file.path === document.path) ?? take((file) => file.name === document.name), document)
  }
  for (const { name, ...reason } of answer.rejected) {
    const file = take((candidate) => candidate.name === name || candidate.path === name)
    events.refused(file, { path: file?.path ?? name, name, ...reason })
  }
}
