import { createHash, randomUUID, type Hash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'

/** A file of an upload as it lies in the incoming folder, under a name that no client chose. */
export interface IncomingFile {
  file: string
  sha256: string
  sizeBytes: number
  /** The file is over the limit, and its bytes were thrown away. */
  isTooLarge: boolean
}

/** Takes the bytes of one file. Resolve each write before the next. */
export interface IncomingSink {
  write(chunk: Buffer): Promise<void>
  end(): Promise<IncomingFile>
}

/** The files of one upload while they arrive. */
export interface IncomingFiles {
  receive(): Promise<IncomingSink>
  /** Removes the files that no document took over, complete or not. */
  clean(): Promise<void>
}

/** Parsers of multipart bodies hand on small pieces. A write to the disk for each would take longer than everything else. */
const WRITE_BYTES = 262_144
/** Bounds the memory for a body that arrives in tiny pieces. */
const MAX_HELD_PIECES = 4_096

/** Streams files into `folder`, each hashed on the way. At most `maxBytes` of each file are written. */
export function receiveFiles(folder: string, maxBytes: number): IncomingFiles {
  const sinks: FileSink[] = []
  return {
    async receive() {
      const file = path.join(folder, `${randomUUID()}.part`)
      const sink = new FileSink(file, await open(file, 'wx', 0o600), maxBytes)
      sinks.push(sink)
      return sink
    },
    async clean() {
      for (const sink of sinks) await sink.remove()
    },
  }
}

class FileSink implements IncomingSink {
  readonly #file: string
  readonly #handle: FileHandle
  readonly #maxBytes: number
  readonly #hash: Hash = createHash('sha256')
  #isOpen = true
  #sizeBytes = 0
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(file: string, handle: FileHandle, maxBytes: number) {
    this.#file = file
    this.#handle = handle
    this.#maxBytes = maxBytes
  }

  async write(chunk: Buffer): Promise<void> {
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes > this.#maxBytes) return
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes >= WRITE_BYTES || this.#held.length >= MAX_HELD_PIECES) await this.#flush()
  }

  async end(): Promise<IncomingFile> {
    const isTooLarge = this.#sizeBytes > this.#maxBytes
    if (!isTooLarge) await this.#flush()
    await this.#close()
    if (isTooLarge) await rm(this.#file, { force: true })
    return { file: this.#file, sha256: this.#hash.digest('hex'), sizeBytes: this.#sizeBytes, isTooLarge }
  }

  async remove(): Promise<void> {
    await this.#close()
    await rm(this.#file, { force: true })
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    this.#hash.update(bytes)
    // A write may take only a part of what it is given.
    for (let at = 0; at < bytes.length;) at += (await this.#handle.write(bytes, at)).bytesWritten
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#handle.close()
  }
}
