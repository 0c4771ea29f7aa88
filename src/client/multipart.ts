import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { ClientError, reasonOf } from './errors.ts'
import type { StreamBody } from './transport.ts'

/** A file to send: exactly `size` bytes, opened when the request reaches it. */
export interface UploadFile {
  name: string
  /** The identity of the document within its project. */
  path: string
  size: number
  open(): AsyncIterable<Uint8Array>
}

/** `sent` is the number of bytes of file `index` that the connection has taken so far. */
export type OnProgress = (progress: { index: number; sent: number }) => void

/**
 * Streams multipart/form-data (RFC 7578) of a known length. Fields come first, so that the instance knows the project before the files.
 * The stream fails with ClientError `file_changed` for a file that has become shorter, and `file_unreadable` for a file that can't be read.
 */
export function multipart(
  fields: readonly (readonly [string, string])[],
  files: readonly UploadFile[],
  onProgress?: OnProgress,
): StreamBody {
  const boundary = `docsearch-${randomBytes(18).toString('hex')}`
  const head = Buffer.from(
    fields
      .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"\r\n\r\n${value}\r\n`)
      .join(''),
  )
  const heads = files.map((file) =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quote(file.name)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
  )
  const tail = Buffer.from(`--${boundary}--\r\n`)
  const length = head.length + tail.length + files.reduce((sum, file, i) => sum + heads[i]!.length + file.size + 2, 0)

  async function* parts(): AsyncGenerator<Uint8Array> {
    yield head
    for (const [index, file] of files.entries()) {
      yield heads[index]!
      let sent = 0
      for await (const part of read(file, index)) {
        // A file that has grown, such as a log, is cut at its announced size.
        const fitting = part.length > file.size - sent ? part.subarray(0, file.size - sent) : part
        if (fitting.length > 0) yield fitting
        sent += fitting.length
        onProgress?.({ index, sent })
        if (sent === file.size && fitting.length < part.length) break
      }
      if (sent < file.size)
        throw new ClientError('file_changed', `${file.path} changed during the upload.`, { details: { index } })
      yield Buffer.from('\r\n')
    }
    yield tail
  }

  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length,
    open: () => Readable.from(parts(), { objectMode: false }),
  }
}

/** Keeps a failure of the file apart from a failure of the connection. */
async function* read(file: UploadFile, index: number): AsyncGenerator<Uint8Array> {
  try {
    yield* file.open()
  } catch (error) {
    throw new ClientError('file_unreadable', `Cannot read ${file.path}: ${reasonOf(error)}.`, {
      cause: error,
      details: { index },
    })
  }
}

/** Escapes a name like browsers do (HTML, "multipart/form-data encoding algorithm"). */
function quote(text: string): string {
  return text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

// A request may have 20 files and 400 MB by default (`limits.request_files`, `limits.request_bytes`). Smaller requests keep several connections busy and lose less when one breaks.
const MAX_FILES = 20
const MAX_BYTES = 64_000_000

/** Groups files into requests, in order. A file that is larger than a request goes alone. */
export function batchesOf<T extends { size: number }>(files: readonly T[]): T[][] {
  const batches: T[][] = []
  let bytes = 0
  for (const file of files) {
    const last = batches.at(-1)
    if (last === undefined || last.length >= MAX_FILES || bytes + file.size > MAX_BYTES) {
      batches.push([file])
      bytes = file.size
    } else {
      last.push(file)
      bytes += file.size
    }
  }
  return batches
}
