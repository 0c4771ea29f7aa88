import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Only Linux has it. A machine with Linux may lack `ps`. */
const hasProc = existsSync('/proc/self/stat')

interface ProcessStat {
  /** The state of the process, such as `R`, `S`, `T` if it is paused, or `Z` for a zombie. */
  state: string
  parent: number
}

/** Reads the state of a process. Returns null if it does not exist. */
export function statOf(pid: number): ProcessStat | null {
  const text = hasProc ? read(pid, 'stat') : ps(pid, 'stat=,ppid=')
  // In /proc, the name of the program comes first, in parentheses. It may contain spaces.
  const [state, parent] = text
    .slice(hasProc ? text.lastIndexOf(')') + 2 : 0)
    .trim()
    .split(/\s+/)
  return text === '' ? null : { state: state![0]!, parent: Number(parent) }
}

/** Returns the command line of a process, or an empty string if it has ended. */
export function commandOf(pid: number): string {
  return hasProc ? read(pid, 'cmdline').replaceAll('\0', ' ') : ps(pid, 'args=')
}

/** Returns the running processes that this process has started. */
export function childrenOf(pid: number): number[] {
  const all = hasProc ? readdirSync('/proc') : execFileSync('ps', ['-A', '-o', 'pid='], { encoding: 'utf8' }).split('\n')
  return all.map(Number).filter((child) => {
    const stat = child > 0 ? statOf(child) : null
    return stat?.parent === pid && stat.state !== 'Z'
  })
}

/** Returns whether the process runs; false for a zombie. */
export function isRunning(pid: number): boolean {
  return (statOf(pid)?.state ?? 'Z') !== 'Z'
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // The process has ended.
    return ''
  }
}

function ps(pid: number, format: string): string {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', format], { encoding: 'utf8' })
  } catch {
    // ps exits with 1 if there is no such process.
    return ''
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
