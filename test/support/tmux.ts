import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { BIN } from './daemon.ts'

const run = promisify(execFile)

/** Tests on a real terminal need tmux, which not every machine has. */
export const hasTmux = ((): boolean => {
  try {
    execFileSync('tmux', ['-V'])
    return true
  } catch {
    return false
  }
})()

export interface Terminal {
  /** What the terminal shows, without trailing spaces. With `history`, also what has scrolled away. */
  shown(history?: boolean): Promise<string>
  /** Returns what the terminal has shown, line by line as the command wrote them: a line that the terminal wrapped is one line. */
  written(): Promise<string[]>
  /** Presses keys by their names in tmux, such as `Enter` or `C-c`. */
  press(...keys: string[]): Promise<void>
  type(text: string): Promise<void>
}

/** Runs the real binary on a terminal of this size, and closes the terminal after the test. At the end, the screen says `exit CODE`. */
export async function onTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { columns = 80, rows = 24 }: { columns?: number; rows?: number } = {},
): Promise<Terminal> {
  const folder = mkdtempSync(join(tmpdir(), 'docsearch-tmux-'))
  const tmux = async (...command: string[]) =>
    (await run('tmux', ['-S', join(folder, 'socket'), '-f', '/dev/null', ...command])).stdout
  onTestFinished(async () => {
    await tmux('kill-server').catch(() => {
      // The server has ended with its last window.
    })
    rmSync(folder, { recursive: true, force: true })
  })
  // Nothing of this machine's user reaches the command, except what the test gives it.
  const variables = Object.entries({ ...env, TERM: 'screen-256color' }).map(([name, value]) => `${name}=${value}`)
  const command = ['env', '-i', ...variables, process.execPath, BIN, ...args].map(quoted).join(' ')
  const size = ['-x', String(columns), '-y', String(rows)]
  await tmux('new-session', '-d', ...size, `${command}; echo "exit $?"; exec sleep 100000`)
  return {
    shown: async (history = false) => (await tmux('capture-pane', '-p', ...(history ? ['-S', '-'] : []))).trimEnd(),
    written: async () => (await tmux('capture-pane', '-p', '-J', '-S', '-')).split('\n').map((line) => line.trimEnd()),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    type: async (text) => void (await tmux('send-keys', '-l', text)),
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
