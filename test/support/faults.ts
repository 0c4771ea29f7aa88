import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('./faults.c', import.meta.url))
const LIBRARY = fileURLToPath(new URL('../../.cache/faults/faults.so', import.meta.url))

/** The kinds of calls that can fail, with their numbers in faults.c. */
export const FAULT_KINDS = { open: 1, read: 2, write: 4, sync: 8, rename: 16, unlink: 32, resize: 64 } as const
export type FaultKind = keyof typeof FAULT_KINDS

/** The fields of `struct control` in faults.c, by their offsets. */
const AT = { kinds: 0, error: 4, countdown: 8, remaining: 12, injected: 16, trim: 20, clockMs: 24, timersMs: 32, inUse: 40 }
const SIZE = 48

/** Makes calls of a daemon and its children fail, and shifts its clock, while it runs. */
export interface Faults {
  /** The environment in which the daemon starts. */
  env: Record<string, string>
  /** Lets calls fail after `skip` further ones of these kinds: `times` of them, or all until `disarm`. */
  arm(fault: { kinds: FaultKind[]; error: 'EIO' | 'ENOSPC'; skip?: number; times?: number }): void
  /** Returns how many calls have failed since `arm`. */
  injected(): number
  /** Lets all calls succeed. Returns how many have failed since `arm`. */
  disarm(): number
  /** Sets the clock this far ahead of the machine's clock; negative for behind. */
  shiftClock(ms: number): void
  /** Moves the clock ahead by this much, and runs the daemon's timers that are due by then. Time can't go back. */
  passTime(ms: number): void
  /** Asks the daemon to return memory that malloc keeps for later. It does so when its main thread reads the clock the next time. */
  trimMemory(): void
  /** Returns how many bytes malloc had in use at that time; null before the first time. */
  trimmed(): number | null
}

/**
 * Prepares faults for a daemon on this data folder, which must exist. Returns null on a system without LD_PRELOAD, and on one without a
 * C compiler.
 */
export function prepareFaults(home: string, dataDir: string): Faults | null {
  if (process.platform !== 'linux' || !buildLibrary()) return null
  const file = join(home, 'faults')
  writeFileSync(file, Buffer.alloc(SIZE))
  const control = openSync(file, 'r+')
  process.once('exit', () => closeSync(control))
  const set = (at: number, value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    writeSync(control, bytes, 0, 4, at)
  }
  const setTime = (at: number, ms: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(ms))
    writeSync(control, bytes, 0, 8, at)
  }
  const get = (at: number) => {
    const bytes = Buffer.alloc(4)
    readSync(control, bytes, 0, 4, at)
    return bytes.readInt32LE()
  }
  const injected = () => get(AT.injected)
  return {
    injected,
    env: { LD_PRELOAD: LIBRARY, DOCSEARCH_TEST_FAULTS_CONTROL: file, DOCSEARCH_TEST_FAULTS_FOLDER: dataDir },
    arm({ kinds, error, skip = 0, times = -1 }) {
      set(AT.injected, 0)
      set(AT.error, constants.errno[error])
      set(AT.countdown, skip)
      set(AT.remaining, times)
      set(
        AT.kinds,
        kinds.reduce((sum, kind) => sum | FAULT_KINDS[kind], 0),
      )
    },
    disarm() {
      set(AT.kinds, 0)
      return injected()
    },
    shiftClock: (ms) => setTime(AT.clockMs, ms),
    passTime(ms) {
      setTime(AT.clockMs, ms)
      setTime(AT.timersMs, ms)
    },
    trimMemory: () => set(AT.trim, 1),
    trimmed() {
      if (get(AT.trim) !== 0) return null
      const bytes = Buffer.alloc(8)
      readSync(control, bytes, 0, 8, AT.inUse)
      return Number(bytes.readBigInt64LE())
    },
  }
}

/** Returns false if there is no compiler. */
function buildLibrary(): boolean {
  if (existsSync(LIBRARY) && statSync(LIBRARY).mtimeMs > statSync(SOURCE).mtimeMs) return true
  mkdirSync(dirname(LIBRARY), { recursive: true })
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', LIBRARY, SOURCE, '-ldl'])
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
