import type { Context } from '../../context.ts'
import { wantsColor, widthOf } from '../../io.ts'
import { joined, oneLine, safe } from '../../view/safe.ts'
import type { Printable, Styled } from '../../view/safe.ts'
import { eraseLines, styles } from '../../view/style.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { padEnd, truncate } from '../../view/width.ts'
import type { FoundFile } from '../../files/found.ts'

export interface Progress {
  sent(file: FoundFile, bytes: number): void
  /** The file is acknowledged or refused, so its upload is over. */
  uploaded(file: FoundFile): void
  /** The file's state on the instance; null once it is processed. */
  state(file: FoundFile, state: string | null): void
  note(line: string): void
  stop(): void
}

const silent: Progress = { sent() {}, uploaded() {}, state() {}, note() {}, stop() {} }
const REDRAW_MS = 100
const MAX_FILE_LINES = 6
const BAR_WIDTH = 20

/** Draws a bar for each active file and one for all files on standard error. Draws nothing on a pipe, with --quiet or with --json. */
export function createProgress(context: Context, files: readonly FoundFile[], waits: boolean): Progress {
  const { stderr } = context.io
  if (!stderr.isTTY || context.json || context.globals.quiet === true || files.length === 0) return silent
  return new TerminalProgress(context, files, waits)
}

class TerminalProgress implements Progress {
  readonly #context: Context
  readonly #files: readonly FoundFile[]
  readonly #waits: boolean
  readonly #totalBytes: number
  readonly #timer: NodeJS.Timeout
  /** Bytes sent of each file that is being sent. */
  readonly #sent = new Map<FoundFile, number>()
  /** State on the instance of each file that is being processed. */
  readonly #states = new Map<FoundFile, string>()
  #uploadedFiles = 0
  #uploadedBytes = 0
  #processedFiles = 0
  #drawnLines = 0
  #isDirty = false

  constructor(context: Context, files: readonly FoundFile[], waits: boolean) {
    this.#context = context
    this.#files = files
    this.#waits = waits
    this.#totalBytes = files.reduce((sum, file) => sum + file.size, 0)
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS)
  }

  sent(file: FoundFile, bytes: number): void {
    this.#sent.set(file, bytes)
    this.#isDirty = true
  }

  uploaded(file: FoundFile): void {
    this.#sent.delete(file)
    this.#uploadedFiles++
    this.#uploadedBytes += file.size
    this.#isDirty = true
  }

  state(file: FoundFile, state: string | null): void {
    if (state === null) {
      this.#states.delete(file)
      this.#processedFiles++
    } else {
      this.#states.set(file, state)
    }
    this.#isDirty = true
  }

  note(line: string): void {
    this.#context.io.stderr.print(safe`${this.#erase()}${oneLine(line)}\n`)
    this.#isDirty = true
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#context.io.stderr.print(this.#erase())
  }

  #draw(): void {
    if (!this.#isDirty) return
    this.#isDirty = false
    const erase = this.#erase()
    const lines = this.#lines()
    this.#drawnLines = lines.length
    this.#context.io.stderr.print(joined([erase, ...lines.map((line) => safe`${line}\n`)]))
  }

  #erase(): Styled {
    const sequence = eraseLines(this.#drawnLines)
    this.#drawnLines = 0
    return sequence
  }

  #lines(): Printable[] {
    const { io, globals } = this.#context
    const style = styles(wantsColor(io.stderr, io.env, globals.color))
    const width = widthOf(io.stderr) - 1
    const sending = [...this.#sent].map(([file, bytes]) => barRow(width, file.path, bytes, file.size))
    // Files that are being processed before files that only wait.
    const processing = [...this.#states]
      .sort(([, a], [, b]) => Number(a === 'queued') - Number(b === 'queued'))
      .map(([file, state]) => row(width, file.path, ' '.repeat(BAR_WIDTH), state))
    const bytes = [...this.#sent.values()].reduce((sum, sent) => sum + sent, this.#uploadedBytes)
    const sent = `${this.#uploadedFiles} of ${this.#files.length} sent, ${formatBytes(this.#totalBytes)}`
    const totals = [barRow(width, sent, bytes, this.#totalBytes)]
    if (this.#waits && this.#uploadedFiles > 0) {
      const processed = `${this.#processedFiles} of ${this.#files.length} processed`
      totals.push(barRow(width, processed, this.#processedFiles, this.#files.length))
    }
    return [...[...sending, ...processing].slice(0, MAX_FILE_LINES), ...totals.map(style.bold)]
  }
}

function barRow(width: number, label: string, done: number, all: number): string {
  return row(width, label, bar(done, all), percent(done, all))
}

function row(width: number, label: string, middle: string, facts: string): string {
  const labelWidth = Math.max(12, width - BAR_WIDTH - 16)
  return truncate(`${padEnd(truncate(oneLine(label), labelWidth), labelWidth)} ${middle} ${facts}`, width)
}

function bar(done: number, all: number): string {
  const full = all === 0 ? BAR_WIDTH : Math.round((Math.min(done, all) / all) * BAR_WIDTH)
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full)
}

function percent(done: number, all: number): string {
  return `${all === 0 ? 100 : Math.floor((Math.min(done, all) / all) * 100)} %`.padStart(5)
}
