import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtModule } from '../core/built-module.ts'
import { finding, type Examination } from '../core/findings.ts'
import { lowerPriority } from '../core/priority.ts'
import type { DoctorMessage, DoctorOptions } from './main.ts'
import type { ExamineEvent } from './run-checks.ts'

const MAIN = fileURLToPath(builtModule(new URL('./main.ts', import.meta.url)))
const MAX_STDERR_CHARS = 2_000
/** A progress bar that changes more often is hard to read. */
const PROGRESS_MS = 100

/**
 * Examines a data folder, or a database and an object store, in a separate process. Never rejects because of damage: if the process dies,
 * that is a finding. Rejects with the signal's reason.
 */
export async function runDoctor(
  options: DoctorOptions,
  { onProgress, signal }: { onProgress?: (event: ExamineEvent & { type: 'progress' }) => void; signal?: AbortSignal } = {},
): Promise<Examination> {
  signal?.throwIfAborted()
  // LanceDB leaves a temporary folder behind. An examination of an object store puts copies there.
  const temporary = await mkdtemp(join(tmpdir(), 'docsearch-doctor-'))
  const env = { ...process.env, TMPDIR: temporary, TMP: temporary, TEMP: temporary }
  const child = fork(MAIN, [], { env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  if (child.pid !== undefined) lowerPriority(child.pid)
  const examination: Examination = { checks: [], findings: [] }
  let isDone = false
  let stderr = ''
  let shownAt = 0
  const kill = (): void => void child.kill('SIGKILL')
  signal?.addEventListener('abort', kill, { once: true })
  child.stderr!.on('data', (text: Buffer) => (stderr = (stderr + text.toString('utf8')).slice(-MAX_STDERR_CHARS)))
  child.on('message', (message) => {
    const event = message as DoctorMessage
    if (event.type === 'done') isDone = true
    else if (event.type === 'finding') examination.findings.push(event.finding)
    else if (event.type === 'check') examination.checks.push(event.check)
    else if (performance.now() - shownAt >= PROGRESS_MS) {
      shownAt = performance.now()
      onProgress?.(event)
    }
  })
  try {
    const ended = new Promise<string>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, killedBy) => resolve(killedBy ?? `exit code ${code}`))
    })
    child.send(options)
    const how = await ended
    signal?.throwIfAborted()
    if (!isDone) {
      const last = stderr.trim().split('\n').at(-1) ?? ''
      examination.findings.push(finding('check_failed', `The doctor's process ended early (${how}). ${last}`.trim()))
    }
    return examination
  } finally {
    signal?.removeEventListener('abort', kill)
    await rm(temporary, { recursive: true, force: true })
  }
}
