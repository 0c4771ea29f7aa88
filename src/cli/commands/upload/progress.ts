import type { Context } from '../../context.ts'
import { wantsColor, widthOf } from '../../io.ts'
import { oneLine } from '../../view/safe.ts'
import { styles } from '../../view/style.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { padEnd, truncate } from '../../view/width.ts'
import type { PlannedFile } from './plan.ts'

export interface Progress {
  sent(file: PlannedFile, bytes: number): void
  /** Acknowledged or refused: its bytes no longer count as under way. */
  uploaded(file: PlannedFile): void
  /** What happens to it on the instance; `null` when that is over. */
  state(file: PlannedFile, state: string | null): void
  note(line: string): void
  stop(): void
}

const silent: Progress = { sent() {}, uploaded() {}, state() {}, note() {}, stop() {} }
const REDRAW_MS = 100
const LINES = 6
const BAR = 20

/** A bar for each file under way and one for all, on standard error; nothing on a pipe, with --quiet or with --json. */
export function createProgress(context: Context, files: readonly PlannedFile[], waits: boolean): Progress {
  const { stderr, env } = context.io
  if (stderr.isTTY !== true || context.json || context.globals.quiet === true || files.length === 0) return silent
  const style = styles(wantsColor(stderr, env, context.globals.color))
  const bytes = new Map<PlannedFile, number>()
  const states = new Map<PlannedFile, string>()
  const total = files.reduce((sum, file) => sum + file.size, 0)
  let done = 0
  let settled = 0
  let doneBytes = 0
  let drawn = 0
  let dirty = false

  function lines(): string[] {
    const width = widthOf(stderr) - 1
    const label = Math.max(12, width - BAR - 16)
    const row = (name: string, part: string, facts: string) =>
      truncate(`${padEnd(truncate(name, label), label)} ${part} ${facts}`, width)
    const active = [...bytes].map(([file, sent]) => row(oneLine(file.path), bar(sent, file.size), percent(sent, file.size)))
    // What is worked on before what waits.
    const working = [...states]
      .sort(([, a], [, b]) => Number(a === 'queued') - Number(b === 'queued'))
      .map(([file, state]) => row(oneLine(file.path), ' '.repeat(BAR), state))
    const sending = [...bytes.values()].reduce((sum, sent) => sum + sent, doneBytes)
    const all = row(`${done} of ${files.length} sent, ${formatBytes(total)}`, bar(sending, total), percent(sending, total))
    const found =
      waits && done > 0
        ? [row(`${settled} of ${files.length} processed`, bar(settled, files.length), percent(settled, files.length))]
        : []
    return [...[...active, ...working].slice(0, LINES), style.bold(all), ...found.map(style.bold)]
  }

  function clear(): string {
    // To the first column too: the terminal has written `^C` where the cursor stood.
    const up = drawn === 0 ? '' : `\r\u001b[${drawn}A\u001b[J`
    drawn = 0
    return up
  }

  function draw(): void {
    if (!dirty) return
    dirty = false
    const erase = clear()
    const shown = lines()
    drawn = shown.length
    stderr.write(erase + shown.map((line) => line + '\n').join(''))
  }

  const timer = setInterval(draw, REDRAW_MS)
  return {
    sent(file, sent) {
      bytes.set(file, sent)
      dirty = true
    },
    uploaded(file) {
      bytes.delete(file)
      done++
      doneBytes += file.size
      dirty = true
    },
    state(file, state) {
      if (state === null) {
        states.delete(file)
        settled++
      } else {
        states.set(file, state)
      }
      dirty = true
    },
    note(line) {
      stderr.write(`${clear()}${oneLine(line)}\n`)
      dirty = true
    },
    stop() {
      clearInterval(timer)
      stderr.write(clear())
    },
  }
}

function bar(done: number, all: number): string {
  const full = all === 0 ? BAR : Math.round((Math.min(done, all) / all) * BAR)
  return '█'.repeat(full) + '░'.repeat(BAR - full)
}

function percent(done: number, all: number): string {
  return `${all === 0 ? 100 : Math.floor((Math.min(done, all) / all) * 100)} %`.padStart(5)
}
