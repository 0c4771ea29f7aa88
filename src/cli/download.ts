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

const REASONS: Record<string, string> = {
  ENOENT: 'its folder is not there',
  ENOTDIR: 'its folder is not there',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'nothing can be written there',
  ENOSPC: 'the disk is full',
}

/** A name from an instance as a name in this folder: no path, nothing hidden, nothing a shell or a terminal would trip over. */
export function safeFileName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  const plain = basename(name.replaceAll('\\', '/')).replace(
    /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069<>:"|?*]/g,
    '_',
  )
  const visible = plain
    .replace(/^[.\s]+/, '')
    .replace(/[.\s]+$/, '')
    .slice(0, 150)
  return visible === '' ? 'document' : visible
}

/** With the extension of what it is, so that a system never runs what was to be read, whatever it is called. */
export function nameToOpen(document: Pick<Document, 'name' | 'media_type'>): string {
  const extension = formatOf(document.media_type)?.extensions[0] ?? '.bin'
  const name = safeFileName(document.name)
  return name.toLowerCase().endsWith(extension) ? name : name + extension
}

/**
 * The original into a file: whole and with the right sum, or not at all. Throws DocsearchError `file_exists` unless `force`,
 * ClientError `invalid_answer` when the bytes are not those of the document.
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
      throw new ClientError('invalid_answer', 'What came is not the whole original; try again.')
    if (options.force) await rename(part, file)
    // A link fails where a rename would replace a file that came in the meantime.
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
    return new DocsearchError('file_exists', `${file} is there already; --force replaces it, -o names another.`, { cause: error })
  const reason = REASONS[String(error.code)] ?? error.message
  return new DocsearchError('file_unwritable', `Cannot write ${file}: ${reason}.`, { cause: error })
}
