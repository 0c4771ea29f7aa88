import { createHash } from 'node:crypto'

/** The bytes of one file of a backup. They are hashed while they are read. */
export class Content implements AsyncIterable<Buffer> {
  readonly size: number
  readonly #source: AsyncIterable<Buffer>
  readonly #hash = createHash('sha256')
  #read = 0
  #digest: string | null = null

  constructor(source: AsyncIterable<Buffer>, size: number) {
    this.#source = source
    this.size = size
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.#source) {
      this.#hash.update(chunk)
      this.#read += chunk.length
      yield chunk
    }
    this.#digest = this.#hash.digest('hex')
  }

  /** The number of bytes that were read. */
  get bytes(): number {
    return this.#read
  }

  /** Throws when the bytes have not been read to their end. */
  sha256(): string {
    if (this.#digest === null) throw new Error('the content has not been read completely')
    return this.#digest
  }

  /** Reads to the end, for a receiver that needs no bytes. */
  async drain(): Promise<void> {
    for await (const _ of this) {
      // Only the hash counts.
    }
  }
}

/** Takes the files of a backup, one after another. */
export interface Receiver {
  /** Reads `content` to its end. */
  take(path: string, content: Content): Promise<void>
}

/** Only hashes. */
export const CHECK_ONLY: Receiver = { take: (_path, content) => content.drain() }
