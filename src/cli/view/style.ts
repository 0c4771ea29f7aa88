import { printed, Styled, type Printable, safe } from './safe.ts'
import type { Env } from '../io.ts'

export { countOf as count } from '../../core/count-of.ts'

export interface Style {
  bold(text: Printable): Styled
  dim(text: Printable): Styled
  mark(text: Printable): Styled
  good(text: Printable): Styled
  bad(text: Printable): Styled
}

/** ANSI styles. Without colours, functions that only escape the text. */
export function styles(color: boolean): Style {
  const wrap = (open: number, close: number) => (text: Printable) => {
    const plain = printed(text)
    return new Styled(color && plain !== '' ? `\u001b[${open}m${plain}\u001b[${close}m` : plain)
  }
  const bold = wrap(1, 22)
  const yellow = wrap(33, 39)
  return { bold, dim: wrap(2, 22), mark: (text) => bold(yellow(text)), good: wrap(32, 39), bad: wrap(31, 39) }
}

/** Moves the cursor to the first column and erases the line. */
export const ERASE_LINE = new Styled('\r\u001b[K')

/** Shows an empty screen and hides the cursor. `LEAVE_SCREEN` brings back what the terminal showed before. */
export const ENTER_SCREEN = new Styled('\u001b[?1049h\u001b[?25l')
export const LEAVE_SCREEN = new Styled('\u001b[?25h\u001b[?1049l')

/** Draws text from the top of the screen over what is there, without flicker. Leaves out lines that do not fit. */
export function redraw(text: Styled, rows: number): Styled {
  const lines = text.text.trimEnd().split('\n').slice(0, rows)
  return new Styled(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`)
}

/**
 * Moves the cursor up and erases these lines. First moves it to the first column, because the terminal may have written `^C` at
 * the cursor.
 */
export function eraseLines(count: number): Styled {
  return new Styled(count === 0 ? '' : `\r\u001b[${count}A\u001b[J`)
}

/** Addresses that can't end the escape sequence around them. */
const ADDRESS = /^https?:\/\/[\x21-\x7e]{1,2000}$/

/**
 * True for terminals that are known to show OSC 8 hyperlinks, by their environment variables. Some other terminals print the sequence.
 * False in tmux and screen, where the variables of the outer terminal may be missing or wrong.
 */
export function showsLinks(env: Env): boolean {
  if (env['TMUX'] || env['STY'] || env['TERM'] === 'dumb') return false
  const program = env['TERM_PROGRAM'] ?? ''
  if (['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio'].includes(program)) return true
  if (/^(?:xterm-kitty|xterm-ghostty|foot|alacritty|contour)/.test(env['TERM'] ?? '')) return true
  return Boolean(env['WT_SESSION'] || env['KONSOLE_VERSION'] || Number(env['VTE_VERSION'] ?? 0) >= 5000)
}

/** Returns the text as a hyperlink, or as plain text if the address is not valid. */
export function hyperlink(text: Printable, address: string | undefined): Styled {
  if (address === undefined || !ADDRESS.test(address)) return safe`${text}`
  return new Styled(`\u001b]8;;${address}\u001b\\${printed(text)}\u001b]8;;\u001b\\`)
}
