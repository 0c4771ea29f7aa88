/** What the supervisor is asked to run, once. */
export interface OcrRun {
  /** Program and arguments, as they are: no shell reads them. */
  command: readonly string[]
  /** Its working, home and temporary folder, gone when it is over. */
  folder: string
  /** The file it is to write. */
  output: string
  limitMs: number
  /** Most bytes of that file. */
  maxBytes: number
}

/** How the program ended; `stderr` is the end of what it said. */
export type OcrEnd =
  | { type: 'exit'; code: number | null; signal: string | null; stderr: string }
  | { type: 'timeout' }
  | { type: 'too_large' }
  | { type: 'not_started'; code: string | null; message: string }
