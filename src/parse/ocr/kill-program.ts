import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A program can start others faster than this finds them. */
const MAX_ROUNDS = 20

/**
 * Ends a program that leads a process group, and everything that it started. Where there is a /proc, it also finds processes that
 * left the group (`setsid`): their environment still names the program's temporary folder.
 * @param folder The program's `TMPDIR`, which no other program has.
 */
export function killProgram(child: ChildProcess, folder: string): void {
  if (child.pid === undefined) return
  kill(process.platform === 'win32' ? child.pid : -child.pid)
  for (let round = 0; round < MAX_ROUNDS; round++) {
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
    // Only Linux has this folder.
    return []
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // The process has just ended, or belongs to another user.
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // No process of them is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
