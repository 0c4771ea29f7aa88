import { tmpdir } from 'node:os'
import type { ExamineOptions } from './examine.ts'
import type { PlaceExamineOptions } from './examine-place.ts'
import type { ExamineEvent } from './run-checks.ts'

/** A data folder, or a database and an object store. */
export type DoctorOptions = ExamineOptions | PlaceExamineOptions

/** What the process sends at the end. Everything before it is an `ExamineEvent`. */
export type DoctorMessage = ExamineEvent | { type: 'done' }

/** A separate process, because SQLite checks a database without a pause, and damaged files could crash native code. */
process.on('disconnect', () => process.exit(0))
process.once('message', (options) => {
  process.umask(0o077)
  const tell = (message: DoctorMessage): Promise<void> =>
    new Promise((resolve) => void process.send?.(message, undefined, undefined, () => resolve()))
  void examine(options as DoctorOptions, (event) => void tell(event)).then(async () => {
    await tell({ type: 'done' })
    process.disconnect()
  })
})

async function examine(options: DoctorOptions, tell: (event: ExamineEvent) => void): Promise<void> {
  if ('dataDir' in options) return (await import('./examine.ts')).examine(options, tell)
  // `runDoctor` made this folder, and deletes it afterwards.
  return (await import('./examine-place.ts')).examinePlace(options, tmpdir(), tell)
}
