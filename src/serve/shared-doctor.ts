import { CHECKS, type CheckName, type CheckResult, type Examination, finding } from '../core/findings.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { probeStore } from '../objects/probe.ts'
import type { Records } from '../records/records.ts'

const NOT_YET = 'The doctor can check this only in a data folder, not in an instance with a database and an object store.'

/** Examines the database and the store of an instance with several processes, and says what it does not examine. */
export async function examineShared({
  records,
  store,
}: {
  records: Pick<Records, 'check'>
  store: ObjectStore
}): Promise<Examination> {
  const findings: Examination['findings'] = []
  const run: Partial<Record<CheckName, () => Promise<string>>> = {
    async database() {
      const { ok, message } = await records.check()
      if (!ok) throw new Error(message)
      return message
    },
    async originals() {
      await probeStore(store)
      return 'The object store works. The doctor does not read the originals in it.'
    },
  }
  const checks: CheckResult[] = []
  for (const name of CHECKS) {
    const check = run[name]
    if (check === undefined) checks.push({ name, status: 'skipped', message: NOT_YET })
    else
      try {
        checks.push({ name, status: 'ok', message: await check() })
      } catch (error) {
        findings.push(finding('check_failed', `The check of ${name.replace('_', ' ')} failed: ${(error as Error).message}`))
        checks.push({ name, status: 'findings', message: 'The check failed.' })
      }
  }
  return { checks, findings }
}
