import type { Writable } from 'node:stream'

/** Standard output or standard error. `columns` and `rows` are those of the terminal, if it is one. */
export interface OutputStream extends Writable {
  isTTY?: boolean
  columns?: number
  rows?: number
}
