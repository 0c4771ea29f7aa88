import type { Context } from '../context.ts'
import { wantsColor, widthOf } from '../io.ts'
import { oneLine, safe } from './safe.ts'
import { ERASE_LINE, styles } from './style.ts'
import { truncate } from './width.ts'

export interface Bar {
  /** `done` of `total`; null when unknown. */
  show(label: string, done: number | null, total: number | null, facts: string): void
  /** Erases the bar. */
  stop(): void
}

const BAR_WIDTH = 30

/** Draws one progress bar on standard error. Draws nothing on a pipe, with --quiet or with --json. */
export function createBar(context: Context): Bar {
  const { stderr, env } = context.io
  if (!stderr.isTTY || context.json || context.globals.quiet === true) return { show() {}, stop() {} }
  const style = styles(wantsColor(stderr, env, context.globals.color))
  let last = ''
  return {
    show(label, done, total, facts) {
      const line = `${drawn(done, total)}${facts}  ${oneLine(label)}`
      if (line === last) return
      last = line
      stderr.print(safe`${ERASE_LINE}${style.bold(truncate(line, widthOf(stderr) - 1))}`)
    },
    stop() {
      if (last !== '') stderr.print(ERASE_LINE)
      last = ''
    },
  }
}

/** Returns an empty text when the share is unknown. */
function drawn(done: number | null, total: number | null): string {
  if (done === null || total === null) return ''
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const full = Math.round(part * BAR_WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${`${Math.floor(part * 100)} %`.padStart(5)}  `
}
