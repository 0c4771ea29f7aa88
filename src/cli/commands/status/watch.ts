import type { Status } from '../../../contract/status.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit.ts'
import { widthOf } from '../../io.ts'
import { joined, oneLine, safe, type Styled } from '../../view/safe.ts'
import { ENTER_SCREEN, LEAVE_SCREEN, redraw } from '../../view/style.ts'
import { localTime } from '../../view/time.ts'
import { formatStatus } from './view.ts'

/** Errors that pass when the instance has restarted. */
const PASSING = ['unreachable', 'timeout', 'unavailable', 'rate_limited'] as const

/** Shows the status until Ctrl-C. Continues while the instance can't be reached, unless the first request fails. */
export async function watchStatus(context: Context, read: () => Promise<Status>, everySeconds: number): Promise<number> {
  const { signal } = context.io
  const first = await read()
  const screen = context.terminal ? new FullScreen(context) : new Lines(context)
  try {
    screen.show(first)
    for (;;) {
      await context.io.wait(everySeconds * 1000, signal)
      if (signal.aborted) return EXIT.cancelled
      try {
        screen.show(await read())
      } catch (error) {
        if (signal.aborted) return EXIT.cancelled
        if (!PASSING.some((code) => isDocsearchError(error, code))) throw error
        screen.showFailure((error as Error).message)
      }
    }
  } finally {
    screen.leave()
  }
}

/** Redraws the screen of a terminal, and restores its earlier content when the command ends. */
class FullScreen {
  readonly #context: Context
  #last: Styled | null = null

  constructor(context: Context) {
    this.#context = context
    context.print(ENTER_SCREEN)
  }

  show(status: Status): void {
    const { table, io, ...rest } = this.#context
    // The user may have changed the size of the window.
    this.#last = formatStatus(status, { ...rest, table: { ...table, width: widthOf(io.stdout) } })
    this.#draw('')
  }

  /** Keeps the last numbers in view. */
  showFailure(message: string): void {
    this.#draw(oneLine(message))
  }

  #draw(notice: string): void {
    const { style, io } = this.#context
    const head = safe`${style.bold(localTime(new Date().toISOString()))}  ${style.bad(notice)}\n\n`
    this.#context.print(redraw(joined([head, ...(this.#last === null ? [] : [this.#last])]), io.stdout.rows ?? 24))
  }

  leave(): void {
    this.#context.print(LEAVE_SCREEN)
  }
}

/** For pipes and --json: prints each status below the last one. */
class Lines {
  readonly #context: Context
  #isFirst = true

  constructor(context: Context) {
    this.#context = context
  }

  show(status: Status): void {
    const { json } = this.#context
    if (json) this.#context.printLine(JSON.stringify(status))
    else {
      if (!this.#isFirst) this.#context.print('\n')
      this.#context.print(formatStatus(status, this.#context))
    }
    this.#isFirst = false
  }

  showFailure(message: string): void {
    this.#context.report(`${oneLine(message)}\n`)
  }

  leave(): void {}
}
