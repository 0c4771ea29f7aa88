import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UploadAnswer } from '../../contract/documents.ts'
import { batchesOf } from '../batches.ts'
import type { UploadOptions } from '../client.ts'
import { reasonOf } from '../file-error.ts'
import type { UploadFile } from '../multipart.ts'
import type { Calls } from './calls.ts'
import type { FileSource, UploadSettings } from './options.ts'
import { RequestError } from './request-error.ts'

const REFUSED = new Set([409, 413, 415, 422])

export async function uploadFiles(
  calls: Calls,
  sources: readonly FileSource[],
  { project, tags, path, onConflict, signal }: UploadSettings,
): Promise<UploadAnswer> {
  const paths = path === undefined ? [] : [path].flat()
  if (paths.length > 0 && paths.length !== sources.length)
    throw new RequestError('invalid_request', `${sources.length} files were given, but ${paths.length} paths.`)
  const files = await Promise.all(sources.map((source, i) => fileOf(source, paths[i])))
  const options: UploadOptions = {
    ...(project !== undefined && { project }),
    ...(tags !== undefined && { tags }),
    ...(onConflict !== undefined && { onConflict }),
    signal: calls.signal(signal),
  }
  const answer: UploadAnswer = { documents: [], rejected: [] }
  let refusal: RequestError | undefined
  for (const batch of batchesOf(files)) {
    try {
      // An instance never stores the same bytes at a path twice, so an upload may be repeated.
      const { documents, rejected } = await calls.repeatable((client) => client.upload(batch, options), { signal })
      answer.documents.push(...documents)
      answer.rejected.push(...rejected)
    } catch (error) {
      // An instance that refuses all files of a request answers with an error.
      const rejected = error instanceof RequestError && REFUSED.has(error.status) ? rejectedOf(error) : null
      if (rejected === null) throw error
      answer.rejected.push(...rejected)
      refusal = error as RequestError
    }
  }
  if (refusal !== undefined && answer.documents.length === 0) throw refusal
  return answer
}

function rejectedOf({ details }: RequestError): UploadAnswer['rejected'] | null {
  const { rejected } = details
  return Array.isArray(rejected) && rejected.length > 0 ? (rejected as UploadAnswer['rejected']) : null
}

/** Returns a file that can be read again for each attempt. */
async function fileOf(source: FileSource, path: string | undefined): Promise<UploadFile> {
  if (typeof source === 'string' || source instanceof URL) return fileAt(source, path)
  const { name } = source
  const content = 'content' in source ? source.content : source
  const blob = content instanceof Blob ? content : new Blob([content as Uint8Array<ArrayBuffer> | ArrayBuffer | string])
  return { name, path: path ?? name, size: blob.size, open: () => blob.stream() }
}

async function fileAt(source: string | URL, path: string | undefined): Promise<UploadFile> {
  const file = source instanceof URL ? fileURLToPath(source) : source
  const name = basename(file)
  const found = await stat(file).catch((error: unknown) => {
    throw new RequestError('file_unreadable', `Cannot read ${file}: ${reasonOf(error)}.`, { cause: error })
  })
  if (!found.isFile()) throw new RequestError('file_unreadable', `Cannot read ${file}: it is not a file.`)
  return { name, path: path ?? name, size: found.size, open: () => createReadStream(file) }
}
