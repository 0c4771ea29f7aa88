import { CHECKS, finding, type CheckName, type CheckResult, type Finding } from '../core/findings.ts'
import type { Outcome, Scene } from './scene.ts'

/** What an examination reports while it runs. */
export type ExamineEvent =
  | { type: 'progress'; check: CheckName; done: number; total: number | null; unit: 'bytes' | 'files' }
  | { type: 'finding'; finding: Finding }
  | { type: 'check'; check: CheckResult }

export type Tell = (event: ExamineEvent) => void

/** Runs all checks, one after another. If a check fails, that is a finding, and the other checks still run. */
export async function runChecks<S extends Scene>(
  parts: Omit<S, 'add' | 'progress' | 'inspection'>,
  checks: Record<CheckName, (scene: S) => Promise<Outcome>>,
  tell: Tell,
): Promise<void> {
  let found = 0
  let current: CheckName = CHECKS[0]
  const events: Pick<Scene, 'add' | 'progress' | 'inspection'> = {
    inspection: null,
    add(one) {
      found++
      tell({ type: 'finding', finding: one })
    },
    progress: (done, total, unit) => tell({ type: 'progress', check: current, done, total, unit }),
  }
  const scene = Object.assign(parts, events) as S
  for (const name of CHECKS) {
    current = name
    const before = found
    try {
      const { message, isSkipped = false } = await checks[name](scene)
      const status = found > before ? 'findings' : isSkipped ? 'skipped' : 'ok'
      tell({ type: 'check', check: { name, status, message } })
    } catch (error) {
      scene.add(finding('check_failed', `The check of ${name.replace('_', ' ')} failed: ${(error as Error).message}`))
      tell({ type: 'check', check: { name, status: 'findings', message: 'The check failed.' } })
    }
  }
  await scene.inspection?.close()
}
