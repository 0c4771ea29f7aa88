import { repaired, type Examination } from '../core/findings.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { ExamineEvent } from '../doctor/run-checks.ts'
import type { Subset } from '../doctor/scene.ts'
import { requireAdministrator, type Actor } from './access.ts'

export type DoctorProgress = ExamineEvent & { type: 'progress' }

export interface DoctorRequest {
  subset: Subset
  wantsFix: boolean
}

export interface DoctorHooks {
  onProgress(progress: DoctorProgress): void
  signal: AbortSignal
}

/** Examines the data folder of the instance. */
export interface Doctor {
  /** One examination runs at a time. Throws `owner_only`, `insufficient_scope`, `limited_to_projects` and `doctor_running`. */
  examine(actor: Actor, request: DoctorRequest, hooks: DoctorHooks): Promise<Examination>
}

export interface DoctorOptions {
  /** Examines the files. Leaves repairs of the index to `ingest`. */
  runDoctor(request: DoctorRequest, hooks: DoctorHooks): Promise<Examination>
  ingest: Pick<Ingest, 'repairIndex'>
  log: Logger
}

/** How long a client should wait before it tries again. */
const RETRY_S = 60

export function createDoctor({ runDoctor, ingest, log }: DoctorOptions): Doctor {
  let isRunning = false
  return {
    async examine(actor, request, hooks) {
      requireAdministrator(actor)
      if (isRunning)
        throw new DocsearchError(
          'doctor_running',
          'Another examination is running, and only one can run at a time. Try again when it has ended.',
          { retryAfter: RETRY_S },
        )
      isRunning = true
      try {
        const examination = await runDoctor(request, hooks)
        for (const { code, place, message } of examination.findings) log.warn({ code, place }, `doctor: ${message}`)
        if (request.wantsFix) await repair(examination, ingest)
        return examination
      } finally {
        isRunning = false
      }
    },
  }
}

/** Repairs the index in this process, which has it open. Also makes the worker notice documents that were queued again. */
async function repair({ findings }: Examination, ingest: Pick<Ingest, 'repairIndex'>): Promise<void> {
  const tables = findings.filter(({ code }) => code === 'index_damaged')
  const segments = findings.filter(({ code }) => code === 'segment_damaged')
  const files = await ingest.repairIndex({
    isTableDamaged: tables.length > 0,
    segmentFiles: segments.map(({ place }) => place ?? ''),
  })
  if (files === null) return
  const rebuilt = new Set(files)
  for (const one of tables) repaired(one, 'The index is being rebuilt from the stored texts.')
  for (const one of segments)
    if (rebuilt.has(one.place ?? '')) repaired(one, 'The segment is being rebuilt from the stored passages.')
}
