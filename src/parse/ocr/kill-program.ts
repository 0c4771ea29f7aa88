import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Against a program that starts others faster than they are found. */
const ROUNDS = 20

/**
 * Ends a program that leads a group of its own, with all that it started. What has left the group (`setsid`) is found where
 * there is a /proc, by the temporary folder that its environment still names.
 * @param folder Its `TMPDIR`, which no other program has.
 */
export function killProgram(child: ChildProcess, folder: string): void {
  if (child.pid === undefined) return
  kill(process.platform === 'win32' ? child.pid : -child.pid)
  for (let round = 0; round < ROUNDS; round++) {
    const left = startedIn(folder)
    if (left.length === 0) return
    for (const pid of left) kill(pid)
  }
}

function startedIn(folder: string): number[] {
  return processes().filter((pid) => pid !== process.pid && environmentOf(pid).includes(`TMPDIR=${folder}`))
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    // No such folder outside Linux.
    return []
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // It has just ended, or is somebody else's.
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // Nobody is left of them.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
