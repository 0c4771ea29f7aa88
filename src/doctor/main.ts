import { examine, type ExamineEvent, type ExamineOptions } from './examine.ts'

/** What the process sends at the end. Everything before it is an `ExamineEvent`. */
export type DoctorMessage = ExamineEvent | { type: 'done' }

/** A process of its own, because SQLite checks a database without a pause, and damaged files could crash native code. */
process.on('disconnect', () => process.exit(0))
process.once('message', (options) => {
  process.umask(0o077)
  const tell = (message: DoctorMessage): Promise<void> =>
    new Promise((resolve) => void process.send?.(message, undefined, undefined, () => resolve()))
  void examine(options as ExamineOptions, (event) => void tell(event)).then(async () => {
    await tell({ type: 'done' })
    process.disconnect()
  })
})
