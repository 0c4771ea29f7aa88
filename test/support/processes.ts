import { execFileSync } from 'node:child_process'

/** Returns the running processes that this process has started. */
export function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n')
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, state]) => Number(parent) === pid && !state!.startsWith('Z'))
    .map(([child]) => Number(child))
}

/** Returns whether the process runs; false for a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-p', String(pid), '-o', 'stat='], { encoding: 'utf8' })
      .trim()
      .startsWith('Z')
  } catch {
    // ps exits with 1 if there is no such process.
    return false
  }
}

/** Kills the process with SIGKILL. Does nothing if it has just ended. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
