import type { Writable } from 'node:stream'
import { oneLine, printed, type Printable } from './safe.ts'

/** Standard output or standard error for commands. It escapes all text except `Styled` text. */
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

  get rows(): number | undefined {
    return this.#stream.rows
  }

  print(text: Printable): void {
    this.#stream.write(printed(text))
  }

  /** Prints text as one line, so that a line break in a name can't start a line that looks like one of docsearch. */
  printLine(text: string): void {
    this.#stream.write(`${oneLine(text)}\n`)
  }

  /** Writes bytes unescaped: an original or an extracted text that goes to a pipe. Throws on a terminal. */
  get bytes(): Writable {
    if (this.isTTY) throw new Error('bytes from an instance must not reach a terminal')
    return this.#stream
  }
}

/** Standard output or standard error. `columns` and `rows` are the size of the terminal, if it is one. */
export interface OutputStream extends Writable {
  isTTY?: boolean
  columns?: number
  rows?: number
}
