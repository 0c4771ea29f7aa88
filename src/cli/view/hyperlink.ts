import type { Env } from '../io.ts'

/** What may stand in an address that goes to a terminal: nothing that could end the sequence it stands in. */
const ADDRESS = /^https?:\/\/[\x21-\x7e]{1,2000}$/

/**
 * Terminals that show OSC 8 hyperlinks, by what they say of themselves. Others ignore the sequence, some print it; so it is for those that are known.
 * Within tmux and screen it is not theirs to say.
 */
export function showsLinks(env: Env): boolean {
  if (env['TMUX'] || env['STY'] || env['TERM'] === 'dumb') return false
  const program = env['TERM_PROGRAM'] ?? ''
  if (['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio'].includes(program)) return true
  if (/^(?:xterm-kitty|xterm-ghostty|foot|alacritty|contour)/.test(env['TERM'] ?? '')) return true
  return Boolean(env['WT_SESSION'] || env['KONSOLE_VERSION'] || Number(env['VTE_VERSION'] ?? 0) >= 5000)
}

/** The text as a link, for `showsLinks`; as it is where the address is none. */
export function hyperlink(text: string, address: string | undefined): string {
  if (address === undefined || !ADDRESS.test(address)) return text
  return `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`
}
