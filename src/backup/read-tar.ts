import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, type Headers } from 'tar-stream'
import { DocsearchError } from '../core/errors.ts'
import { Content, type Receiver } from './content.ts'
import { isBackupPath, MANIFEST } from './layout.ts'
import { incomplete, MAX_MANIFEST_BYTES, parseManifest, type BackupManifest, type SeenFile } from './manifest.ts'
import { notABackup, TarGuard } from './tar-guard.ts'

export interface ReadBackup {
  manifest: BackupManifest
  /** What was read, by path. */
  seen: ReadonlyMap<string, SeenFile>
}

interface ReadOptions {
  signal?: AbortSignal | undefined
  onBytes?: ((bytes: number) => void) | undefined
}

/**
 * Reads a tar and hands each file to the receiver. Returns the manifest, which comes last; the caller compares it with what was read.
 * Throws `backup_incomplete` when the tar ends early, `backup_damaged`, and `backup_newer`.
 */
export async function readTar(source: Readable, receiver: Receiver, options: ReadOptions = {}): Promise<ReadBackup> {
  const { signal, onBytes } = options
  const entries = extract()
  const guard = new TarGuard()
  if (onBytes !== undefined) guard.on('data', (chunk: Buffer) => onBytes(chunk.length))
  const seen = new Map<string, SeenFile>()
  let manifest: BackupManifest | null = null
  const read = async () => {
    for await (const entry of entries) {
      const { name, size } = checked(entry.header, seen)
      if (manifest !== null) throw notABackup('its manifest is not the last file')
      const content = new Content(entry, size)
      if (name === MANIFEST) manifest = parseManifest(await textOf(content))
      else {
        await receiver.take(name, content)
        seen.set(name, { sha256: content.sha256(), size: content.bytes })
      }
    }
  }
  // The error of the source explains more than the cut-off tar that it causes.
  const [piped, done] = await Promise.allSettled([
    pipeline(source, guard, entries as unknown as NodeJS.WritableStream, ...(signal === undefined ? [] : [{ signal }])),
    read().catch((error: unknown) => {
      entries.destroy()
      source.destroy()
      throw error
    }),
  ])
  throwFirst(piped, done)
  if (manifest === null) throw incomplete()
  return { manifest, seen }
}

function throwFirst(...results: PromiseSettledResult<void>[]): void {
  const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  if (reasons.length === 0) return
  const known = reasons.find((reason) => reason instanceof DocsearchError)
  if (known !== undefined) throw known
  const system = reasons.find((reason) => reason instanceof Error && ('syscall' in reason || reason.name === 'AbortError'))
  throw system ?? translate(reasons[0])
}

function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (/unexpected end|premature/i.test(error.message)) return incomplete(error)
  return /tar|header|size mismatch/i.test(error.message)
    ? notABackup(error.message.toLowerCase().replace(/[.\s]+$/, ''), error)
    : error
}

function checked({ name, size = 0, type }: Headers, seen: ReadonlyMap<string, SeenFile>): { name: string; size: number } {
  if (type !== 'file' || !isBackupPath(name)) throw notABackup(`it has an entry named ${JSON.stringify(name.slice(0, 200))}`)
  if (seen.has(name)) throw notABackup(`it has ${name} twice`)
  if (name === MANIFEST && size > MAX_MANIFEST_BYTES) throw notABackup('its manifest is too large')
  return { name, size }
}

async function textOf(content: Content): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of content) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
