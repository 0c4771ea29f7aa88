import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { ClientError } from './errors.ts'
import type { StreamBody } from './transport.ts'

/** A file to be sent: `size` bytes exactly, read when its turn comes. */
export interface UploadFile {
  name: string
  /** Where it came from: with the project its identity. */
  path: string
  size: number
  open(): AsyncIterable<Uint8Array>
}

/** `sent` counts the bytes of file number `index` handed to the connection so far. */
export type OnProgress = (progress: { index: number; sent: number }) => void

/**
 * multipart/form-data (RFC 7578) as a stream with its length known beforehand. Fields come before the files, so that an instance knows the project
 * before the first byte. The stream fails with ClientError `file_changed` when a file has become shorter since it was measured, `file_unreadable` when it cannot be read.
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
        // A log that grows while it is sent: what was measured is what is sent.
        const fitting = part.length > file.size - sent ? part.subarray(0, file.size - sent) : part
        if (fitting.length > 0) yield fitting
        sent += fitting.length
        onProgress?.({ index, sent })
        if (sent === file.size && fitting.length < part.length) break
      }
      if (sent < file.size)
        throw new ClientError('file_changed', `${file.path} changed while it was being sent.`, { details: { index } })
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

/** A failure of the file must not look like one of the connection. */
async function* read(file: UploadFile, index: number): AsyncGenerator<Uint8Array> {
  try {
    yield* file.open()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ClientError('file_unreadable', `${file.path} cannot be read: ${reason}`, { cause: error, details: { index } })
  }
}

/** As browsers do it (HTML, "multipart/form-data encoding algorithm"). */
function quote(text: string): string {
  return text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}
