import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, UploadOptions } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { UploadAnswer } from '../../../contract/documents.ts'
import { batchesOf } from './batches.ts'
import type { PlannedFile, Refusal } from './plan.ts'

export type Uploaded = UploadAnswer['documents'][number]

export interface SendEvents {
  sent(file: PlannedFile, bytes: number): void
  acknowledged(file: PlannedFile | undefined, document: Uploaded): void
  refused(file: PlannedFile | undefined, refusal: Refusal): void
  /** The instance asked to wait. */
  waiting(seconds: number, reason: string): void
}

interface SendOptions extends UploadOptions {
  signal: AbortSignal
  /** Aborted too once another request has failed for good: nothing new is begun then. */
  going: AbortSignal
}

const PARALLEL = 3
const ATTEMPTS = 12
const LONGEST_PAUSE_S = 60
// For the answer to what was sent whole when Ctrl-C came; a second Ctrl-C ends at once.
const GRACE_MS = 3_000
const REFUSALS = new Set([409, 413, 415, 422])

/** Sends every file, several requests at a time. What comes of each is told as it comes; throws ClientError for what ends the whole upload. */
export async function sendAll(
  client: Client,
  files: readonly PlannedFile[],
  options: UploadOptions & { signal: AbortSignal },
  events: SendEvents,
): Promise<void> {
  const batches = batchesOf(files)
  const stop = new AbortController()
  const going = AbortSignal.any([options.signal, stop.signal])
  const worker = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift())
      await sendBatch(client, batch, { ...options, going }, events)
  }
  const workers = Array.from({ length: Math.min(PARALLEL, batches.length) }, worker)
  try {
    await Promise.all(workers)
  } catch (error) {
    stop.abort()
    // What is under way is sent to its end and counted: cut off, it might be stored without anybody being told.
    await Promise.allSettled(workers)
    throw error
  }
}

async function sendBatch(client: Client, batch: PlannedFile[], options: SendOptions, events: SendEvents): Promise<void> {
  let answer: Pick<UploadAnswer, 'documents' | 'rejected'>
  try {
    answer = await sendPatiently(client, batch, options, events)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const rejected = rejectedOf(error)
    if (rejected !== null) {
      answer = { documents: [], rejected }
    } else if (error.code === 'file_changed' || error.code === 'file_unreadable') {
      const bad = batch[Number(error.details['index'])]
      events.refused(bad, refusalOf(bad, error))
      const others = batch.filter((file) => file !== bad)
      if (bad !== undefined && others.length > 0) await sendBatch(client, others, options, events)
      return
    } else if (REFUSALS.has(error.status) || isAboutFiles(error)) {
      // An instance with smaller limits, or one file that spoils the rest: halves find out which.
      if (batch.length === 1) return events.refused(batch[0], refusalOf(batch[0], error))
      const half = Math.ceil(batch.length / 2)
      await sendBatch(client, batch.slice(0, half), options, events)
      return sendBatch(client, batch.slice(half), options, events)
    } else {
      throw error
    }
  }
  match(batch, answer, events)
}

/** Not valid for what single files are called, not for what goes for all of them. */
function isAboutFiles({ status, errors }: ClientError): boolean {
  return status === 400 && errors.length > 0 && errors.every(({ path }) => /^(file|path)(\.|$)/.test(path))
}

/** 429 and 503 are waited out as long as the instance asks; a cut connection is tried again, because the same bytes are never stored twice. */
async function sendPatiently(
  client: Client,
  batch: PlannedFile[],
  { going, ...options }: SendOptions,
  events: SendEvents,
): Promise<UploadAnswer> {
  for (let attempt = 1; ; attempt++) {
    if (going.aborted) throw new ClientError('aborted', 'Cancelled.')
    const cut = cutUnlessWhole(batch, options.signal)
    try {
      return await client.upload(
        batch.map((file) => ({ ...file, open: () => createReadStream(file.file, { highWaterMark: 256 * 1024 }) })),
        {
          ...options,
          signal: cut.signal,
          onProgress: ({ index, sent }) => {
            cut.sent(index, sent)
            events.sent(batch[index]!, sent)
          },
        },
      )
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      const busy = error.status === 429 || error.status === 503
      const cut = error.code === 'unreachable' && ['ECONNRESET', 'EPIPE'].includes(String(error.details['reason'])) && attempt < 3
      if ((!busy && !cut) || attempt >= ATTEMPTS) throw error
      const seconds = Math.min(LONGEST_PAUSE_S, error.retryAfter ?? 2 ** (attempt - 1))
      if (busy) events.waiting(seconds, error.detail)
      await sleep(seconds * 1000, undefined, { signal: going }).catch(() => {
        throw new ClientError('aborted', 'Cancelled.')
      })
    } finally {
      cut.done()
    }
  }
}

/**
 * At Ctrl-C a request whose files are not all sent is cut, and the instance keeps nothing of the file it was at. One that is sent whole will be stored in
 * any case, so its answer is waited for: what is said to be stored is what is there.
 */
function cutUnlessWhole(batch: readonly PlannedFile[], cancelled: AbortSignal) {
  const controller = new AbortController()
  const last = batch.findLastIndex((file) => file.size > 0)
  let isWhole = last === -1
  let limit: NodeJS.Timeout | undefined
  const cut = () => controller.abort()
  const onCancel = (): void => {
    if (isWhole) limit = setTimeout(cut, GRACE_MS)
    else cut()
  }
  if (cancelled.aborted) cut()
  else cancelled.addEventListener('abort', onCancel, { once: true })
  return {
    signal: controller.signal,
    sent(index: number, bytes: number) {
      if (index === last && bytes >= batch[last]!.size) isWhole = true
    },
    done() {
      clearTimeout(limit)
      cancelled.removeEventListener('abort', onCancel)
    },
  }
}

/** An answer in which everything was refused is an error with the same list. */
function rejectedOf(error: ClientError): UploadAnswer['rejected'] | null {
  const list: unknown = error.details['rejected']
  if (!REFUSALS.has(error.status) || !Array.isArray(list) || list.length === 0) return null
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  return list.map((entry: Record<string, unknown>) => ({
    name: text(entry['name'], ''),
    code: text(entry['code'], error.shownCode),
    message: text(entry['message'], error.detail),
  }))
}

function refusalOf(file: PlannedFile | undefined, error: ClientError): Refusal {
  return { path: file?.path ?? '', name: file?.name ?? '', code: error.shownCode, message: error.detail }
}

/** Which file each part of the answer is about: documents by path, refusals, which carry only a name, among what is left. */
function match(batch: readonly PlannedFile[], answer: Pick<UploadAnswer, 'documents' | 'rejected'>, events: SendEvents): void {
  const left = new Set(batch)
  const take = (fits: (file: PlannedFile) => boolean): PlannedFile | undefined => {
    const found = [...left].find(fits)
    if (found !== undefined) left.delete(found)
    return found
  }
  for (const document of answer.documents) {
    events.acknowledged(take((file) => file.path === document.path) ?? take((file) => file.name === document.name), document)
  }
  for (const { name, code, message } of answer.rejected) {
    const file = take((candidate) => candidate.name === name || candidate.path === name)
    events.refused(file, { path: file?.path ?? name, name, code, message })
  }
}
