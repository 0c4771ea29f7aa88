import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { until } from './until.ts'

const SCRIPT = fileURLToPath(new URL('./postgres-worker.ts', import.meta.url))

export interface WorkerProcess {
  /** The lines that the process wrote, each split into words. */
  lines: string[][]
  documents(word: 'claimed' | 'finished' | 'unwanted'): string[]
  signal(signal: NodeJS.Signals): void
  /** Lets the process finish its work and end. */
  end(): Promise<void>
  exit: Promise<unknown>
}

/** Starts a process that works on the queue of a database. */
export async function startWorker(url: string, mode: 'work' | 'hold'): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [SCRIPT, url, mode], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  child.stdin.on('error', () => {})
  const lines: string[][] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n')
    rest = parts.pop()!
    lines.push(...parts.map((line) => line.split(' ')))
  })
  const worker: WorkerProcess = {
    lines,
    documents: (word) => lines.filter(([first]) => first === word).map(([, id]) => id!),
    signal: (signal) => void child.kill(signal),
    async end() {
      child.stdin.write('end\n')
      await exit
    },
    exit,
  }
  await until('the worker runs', () => lines.length > 0 || child.exitCode !== null)
  return worker
}
