import { finding } from '../core/findings.ts'
import { NO_DATABASE, type Check } from './scene.ts'

/** Clocks of two machines may differ a little, after a folder was moved. */
const TOLERANCE_MS = 60_000

export const checkClock: Check = async ({ inspection, now, add }) => {
  if (inspection === null) return NO_DATABASE
  const newest = await inspection.newestRow()
  const time = now()
  if (newest !== null && newest.getTime() > time.getTime() + TOLERANCE_MS)
    add(
      finding(
        'clock_behind',
        `The clock says ${time.toISOString()}, but the newest row of the database is from ${newest.toISOString()}.`,
      ),
    )
  return { message: `The clock says ${time.toISOString()}.` }
}
