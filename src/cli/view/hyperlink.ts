import type { Env } from '../io.ts'
import { printed, Styled, safe } from './safe.ts'
import type { Printable } from './safe.ts'

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
