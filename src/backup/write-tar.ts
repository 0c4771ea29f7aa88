import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import type { BackupManifest } from '../contract/backup.ts'
import { MANIFEST, originalPath } from './layout.ts'
import { formatManifest } from './manifest.ts'

/** What a backup consists of. */
export interface BackupContents {
  /** In this order: the paths in the backup, and the files to read. */
  files: readonly { path: string; file: string }[]
  /** The originals that the database refers to, with the sizes that it knows. */
  originals: readonly { sha256: string; size: number }[]
  /** Null when the original is missing. */
  openOriginal(sha256: string): Promise<{ size: number; open(): Promise<Readable> } | null>
  /** Originals that the receiver has. They are in the manifest, but not in the tar. */
  known: ReadonlySet<string>
  manifest: Omit<BackupManifest, 'files' | 'originals' | 'failed' | 'checksum'>
}

/** The manifest and the size of a written backup. */
export interface Written {
  manifest: Omit<BackupManifest, 'checksum'>
  bytes: number
}

/** A backup as a tar. `written` is known once the manifest is in it. */
export interface TarOutput {
  stream: Readable
  written: Promise<Written>
}

/** Returns a backup as a tar. `onRead` is called when the receiver has taken a part of it. Originals that are missing or damaged don't stop it: the manifest lists them as failed. */
export function writeTar(contents: BackupContents, onRead: () => void = () => {}): TarOutput {
  const tar = pack()
  const chunks = async function* () {
    for await (const chunk of tar as unknown as AsyncIterable<Buffer>) {
      onRead()
      yield chunk
    }
  }
  const stream = Readable.from(chunks(), { objectMode: false })
  const written = write(tar, contents, new Date(contents.manifest.created_at))
  written.then(
    () => tar.finalize(),
    (error: Error) => {
      tar.destroy()
      stream.destroy(error)
    },
  )
  stream.once('close', () => tar.destroy())
  return { stream, written }
}

async function write(tar: Pack, contents: BackupContents, modified: Date): Promise<Written> {
  const manifest: Written['manifest'] = { ...contents.manifest, files: [], originals: {}, failed: [] }
  let bytes = 0
  const add = async (path: string, size: number, source: Readable): Promise<string> => {
    const hash = createHash('sha256')
    const entry = tar.entry({ name: path, size, mode: 0o600, mtime: modified })
    await pipeline(
      source,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      entry as unknown as NodeJS.WritableStream,
    )
    bytes += size
    return hash.digest('hex')
  }
  for (const { path, file } of contents.files) {
    const { size } = await stat(file)
    manifest.files.push({ path, sha256: await add(path, size, createReadStream(file)), size })
  }
  for (const { sha256, size } of contents.originals) {
    if (contents.known.has(sha256)) {
      manifest.originals[sha256] = size
      continue
    }
    const original = await contents.openOriginal(sha256)
    if (original === null) manifest.failed.push({ sha256, reason: 'missing' })
    else if ((await add(originalPath(sha256), original.size, await original.open())) !== sha256)
      manifest.failed.push({ sha256, reason: 'damaged' })
    else manifest.originals[sha256] = original.size
  }
  const text = Buffer.from(formatManifest(manifest))
  await add(MANIFEST, text.length, Readable.from([text]))
  return { manifest, bytes }
}
