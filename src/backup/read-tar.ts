import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, type Headers } from 'tar-stream'
import { DocsearchError } from '../core/errors.ts'
import { Content, type Receiver } from './content.ts'
import { isBackupPath, MANIFEST } from './layout.ts'
import { incomplete, MAX_MANIFEST_BYTES, parseManifest, type BackupManifest, type SeenFile } from './manifest.ts'

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

const BLOCK = 512
const TYPE_AT = 156
const FILE_TYPES = new Set([0, '0'.charCodeAt(0)])
/** An archive ends with two blocks of zeros. */
const END_BLOCKS = 2

type State = 'header' | 'content' | 'padding' | 'end'

/**
 * Checks the blocks of a tar before tar-stream reads them. docsearch writes plain files with short names, so everything else is refused:
 * links, folders, devices, and the extended headers, which tar-stream would keep in memory however large they are. Padding must be zero, so
 * that no bit of an archive can change unnoticed.
 */
class TarGuard extends Transform {
  #state: State = 'header'
  #header: Buffer = Buffer.alloc(0)
  /** The bytes left of the content or the padding. */
  #left = 0
  #padding = 0
  #endBlocks = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#check(chunk)
      done(null, chunk)
    } catch (error) {
      done(error as Error)
    }
  }

  override _flush(done: TransformCallback): void {
    done(this.#endBlocks >= END_BLOCKS ? null : incomplete())
  }

  #check(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#state === 'header') at += this.#readHeader(chunk.subarray(at))
      else if (this.#state === 'end') {
        requireZeros(chunk.subarray(at))
        return
      } else at += this.#skip(chunk.subarray(at))
    }
  }

  #readHeader(bytes: Buffer): number {
    const taken = bytes.subarray(0, BLOCK - this.#header.length)
    this.#header = this.#header.length === 0 ? taken : Buffer.concat([this.#header, taken])
    if (this.#header.length === BLOCK) {
      this.#begin(this.#header)
      this.#header = Buffer.alloc(0)
    }
    return taken.length
  }

  #begin(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      this.#endBlocks += 1
      if (this.#endBlocks === END_BLOCKS) this.#state = 'end'
      return
    }
    if (this.#endBlocks > 0) throw notABackup('it has data after its end')
    if (!FILE_TYPES.has(header[TYPE_AT]!)) throw notABackup('it has an entry that is not a plain file')
    // tar-stream reads only the digits of the checksum.
    if (!/^[0-7]{6}( \0|\0 )$/.test(header.toString('latin1', 148, TYPE_AT)))
      throw notABackup('the checksum of an entry is not a number')
    this.#left = sizeOf(header)
    this.#padding = (BLOCK - (this.#left % BLOCK)) % BLOCK
    this.#state = 'content'
    this.#next()
  }

  #skip(bytes: Buffer): number {
    const taken = bytes.subarray(0, this.#left)
    if (this.#state === 'padding') requireZeros(taken)
    this.#left -= taken.length
    this.#next()
    return taken.length
  }

  #next(): void {
    if (this.#left === 0 && this.#state === 'content') [this.#state, this.#left] = ['padding', this.#padding]
    if (this.#left === 0 && this.#state === 'padding') this.#state = 'header'
  }
}

/** The size is in octal digits, or, from 8 GiB on, a number whose first bit is set. */
function sizeOf(header: Buffer): number {
  const field = header.subarray(124, 136)
  const size =
    field[0] === 0x80
      ? Number(field.readBigUInt64BE(4))
      : /^[0-7]{1,12}[\0 ]*$/.test(field.toString('latin1'))
        ? Number.parseInt(field.toString('latin1'), 8)
        : NaN
  if (!Number.isSafeInteger(size)) throw notABackup('the size of an entry is not a number')
  return size
}

function requireZeros(bytes: Buffer): void {
  if (bytes.some((byte) => byte !== 0)) throw notABackup('it has data between its files')
}

/** For an archive that docsearch did not write, or that was changed. */
export function notABackup(reason: string, cause?: unknown): DocsearchError {
  return new DocsearchError('backup_damaged', `This is not an intact docsearch backup: ${reason}. Use another backup.`, { cause })
}
