/** The one job of a supervisor process. */
export interface OcrRun {
  /** Program and arguments. No shell interprets them. */
  command: readonly string[]
  /** The program's working, home and temporary folder, removed afterwards. */
  folder: string
  /** The file that the program must write. */
  output: string
  limitMs: number
  /** Limit on the size of that file. */
  maxBytes: number
}

/** How the program ended. `stderr` is the end of its standard error. */
export type OcrEnd =
  | { type: 'exit'; code: number | null; signal: string | null; stderr: string }
  | { type: 'timeout' }
  | { type: 'too_large' }
  | { type: 'not_started'; code: string | null; message: string }
