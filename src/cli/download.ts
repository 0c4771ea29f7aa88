import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import type { Document } from '../contract/documents.ts'
import { DocsearchError } from '../core/errors.ts'
import { formatOf } from '../core/formats.ts'
import { trimEnd } from '../core/trim-end.ts'
import { oneLine } from './view/safe.ts'

const REASONS: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}

/** Turns a name from an instance into a safe file name: no path, not hidden, no characters special to a shell or terminal. */
export function safeFileName(name: string): string {
  const plain = oneLine(basename(name.replaceAll('\\', '/'))).replace(/[\ufffd<>:"|?*]/g, '_')
  const visible = trimEnd(plain.replace(/^[.\s]+/, ''), /[.\s]/).slice(0, 150)
  return visible === '' ? 'document' : visible
}

/** A file name with the extension of the document's format, so that the system never runs a document as a program. */
export function nameToOpen(document: Pick<Document, 'name' | 'media_type'>): string {
  const extension = formatOf(document.media_type)?.extensions[0] ?? '.bin'
  const name = safeFileName(document.name)
  return name.toLowerCase().endsWith(extension) ? name : name + extension
}

/**
 * Downloads the original to a file. The file appears only when it is complete and its checksum is right.
 * Throws DocsearchError `file_exists` unless `force`, ClientError `invalid_answer` for a wrong checksum.
 */
export async function download(
  client: Client,
  document: Pick<Document, 'id' | 'sha256'>,
  file: string,
  options: { force: boolean; signal: AbortSignal },
): Promise<void> {
  const part = join(dirname(file), `.${basename(file).slice(0, 100)}.${randomBytes(4).toString('hex')}.part`)
  const hash = createHash('sha256')
  try {
    const content = await client.documents.content(document.id)
    const source = async function* (bytes: AsyncIterable<Buffer>) {
      for await (const chunk of bytes) {
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(content, source, createWriteStream(part, { flags: 'wx' }), { signal: options.signal })
    if (hash.digest('hex') !== document.sha256)
      throw new ClientError('invalid_answer', 'The download is incomplete or damaged. Try again.')
    if (options.force) await rename(part, file)
    // Unlike a rename, a link fails when the file was created in the meantime.
    else await link(part, file)
  } catch (error) {
    throw explain(error, file, options.signal)
  } finally {
    await rm(part, { force: true })
  }
}

function explain(error: unknown, file: string, signal: AbortSignal): unknown {
  if (signal.aborted) return new ClientError('aborted', 'Cancelled.', { cause: error })
  if (error instanceof DocsearchError || !(error instanceof Error) || !('code' in error)) return error
  if (error.code === 'EEXIST')
    return new DocsearchError('file_exists', `${file} already exists. Overwrite it with --force, or name another file with -o.`, {
      cause: error,
    })
  const reason = REASONS[String(error.code)] ?? error.message
  return new DocsearchError('file_unwritable', `Cannot write ${file}: ${reason}.`, { cause: error })
}
