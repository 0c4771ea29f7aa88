import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import type { Env } from '../client/folders.ts'
import { textWidth } from './view/width.ts'

/** What a shell returns when it does not find a program, or may not run it. */
const NOT_RUN: readonly unknown[] = [126, 127]

/**
 * Returns the pager of this user, as git chooses it: DOCSEARCH_PAGER, then PAGER, then less. Null when there is none to use: the
 * variable is empty or `cat`, the terminal can't page, or the platform has no less.
 */
export function pagerOf(env: Env, platform: NodeJS.Platform = process.platform): string | null {
  const chosen = env['DOCSEARCH_PAGER'] ?? env['PAGER'] ?? (platform === 'win32' ? '' : 'less')
  return chosen.trim() === '' || chosen.trim() === 'cat' || env['TERM'] === 'dumb' ? null : chosen
}

/** Returns whether a terminal can't show the text at once. Its last line is for the next prompt. False for a terminal of unknown height. */
export function isTallerThan(
  { rows, columns = 80 }: { rows?: number | undefined; columns?: number | undefined },
  text: string,
): boolean {
  if (rows === undefined || rows === 0) return false
  const lines = stripVTControlCharacters(text).replace(/\n$/, '').split('\n')
  const height = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0)
  return height > rows - 1
}

/** Shows text with a pager. Returns false when the pager can't be run. The shell splits the command, as in git. */
export async function runPager(command: string, text: string, env: Env): Promise<boolean> {
  // Ctrl-C belongs to the pager, which shares this terminal.
  const listeners = process.listeners('SIGINT')
  process.removeAllListeners('SIGINT')
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    return await new Promise((resolve) => {
      // The same defaults as git: show colours, quit if everything fits, and leave the text on the screen.
      const child = spawn(command, {
        shell: true,
        stdio: ['pipe', 'inherit', 'inherit'],
        env: { LESS: 'FRX', LV: '-c', ...env },
      })
      child.once('error', () => resolve(false))
      child.once('close', (code) => resolve(!NOT_RUN.includes(code)))
      child.stdin.on('error', () => {
        // The user left the pager before it had read everything.
      })
      child.stdin.end(text)
    })
  } finally {
    process.off('SIGINT', ignore)
    for (const listener of listeners) process.on('SIGINT', listener)
  }
}
