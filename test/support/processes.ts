import { readdirSync, readFileSync } from 'node:fs'

interface ProcessStat {
  /** The state of the process, such as `R`, `S` or `Z` for a zombie. */
  state: string
  parent: number
}

/** Reads what Linux says of a process (proc_pid_stat(5)). Returns null if it does not exist. */
export function statOf(pid: number): ProcessStat | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // It has ended.
    return null
  }
  // The name of the program, in parentheses, may contain blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0]!, parent: Number(fields[1]) }
}

/** Returns the command line of a process; empty if it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    // It has ended.
    return ''
  }
}

/** Returns the running processes that this process has started. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((child) => {
      const stat = child > 0 ? statOf(child) : null
      return stat?.parent === pid && stat.state !== 'Z'
    })
}

/** Returns whether the process runs; false for a zombie. */
export function isRunning(pid: number): boolean {
  return (statOf(pid)?.state ?? 'Z') !== 'Z'
}

/** Kills the process with SIGKILL. Does nothing if it has just ended. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
