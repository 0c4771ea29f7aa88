import type { Writable } from 'node:stream'
import type { OutputStream } from '../io.ts'
import { oneLine, printed } from './safe.ts'
import type { Printable } from './safe.ts'

/** Standard output or standard error, as commands see it: what they print is escaped unless it is Styled. */
export class Screen {
  readonly #stream: OutputStream

  constructor(stream: OutputStream) {
    this.#stream = stream
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true
  }

  get columns(): number | undefined {
    return this.#stream.columns
  }

  print(text: Printable): void {
    this.#stream.write(printed(text))
  }

  /** Prints text as one line, so that a name with a line break can't look like a second line. */
  printLine(text: string): void {
    this.#stream.write(`${oneLine(text)}\n`)
  }

  /** Passes bytes on as they are: an original file or an extracted text that the user sends to a pipe. Throws on a terminal. */
  get bytes(): Writable {
    if (this.isTTY) throw new Error('bytes from an instance must not reach a terminal')
    return this.#stream
  }
}
