import { expect, test } from 'vitest'
import type { Examination } from '../../../src/core/findings.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { actorOf } from '../../../src/services/access.ts'
import { createDoctor } from '../../../src/services/doctor.ts'
import { errorCode } from '../../support/codes.ts'

test('one examination runs at a time, and the next one can begin when it has ended', async () => {
  const running = Promise.withResolvers<Examination>()
  const owner = actorOf({ id: 'usr_a', role: 'owner' })
  const doctor = createDoctor({ runDoctor: () => running.promise, ingest: { repairIndex: async () => [] }, log: silentLogger })
  const examine = () =>
    doctor.examine(
      owner,
      { subset: { part: 1, of: 1 }, wantsFix: false },
      { onProgress() {}, signal: new AbortController().signal },
    )
  const first = examine()
  await expect(examine()).rejects.toMatchObject({ code: errorCode('doctor_running') })
  running.resolve({ checks: [], findings: [] })
  await first
  await expect(examine()).resolves.toMatchObject({ findings: [] })
})
