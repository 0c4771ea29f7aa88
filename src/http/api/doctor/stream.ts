import { PassThrough, type Readable } from 'node:stream'
import type { DoctorLine } from '../../../contract/doctor.ts'
import { presentExamination } from '../../../contract/present/doctor.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { Actor } from '../../../services/access.ts'
import type { Doctor, DoctorRequest } from '../../../services/doctor.ts'

/** How long to wait for the first line before answering. A refused examination rejects within this time. */
const REFUSAL_MS = 50

/** Answers with lines of JSON. An examination that is refused rejects like any other request; a later failure becomes the last line. */
export async function streamExamination(
  { doctor, log }: { doctor: Doctor; log: Logger },
  actor: Actor,
  { request, ending }: { request: DoctorRequest; ending: AbortSignal },
): Promise<Readable> {
  const lines = new PassThrough()
  const gone = new AbortController()
  lines.once('close', () => gone.abort())
  const write = (line: DoctorLine): void => void lines.write(`${JSON.stringify(line)}\n`)
  const examined = doctor.examine(actor, request, {
    onProgress: ({ check, done, total, unit }) => write({ progress: { check, done, total, unit } }),
    signal: AbortSignal.any([ending, gone.signal]),
  })
  const settled = examined.then(
    (examination) => write({ report: presentExamination(examination) }),
    (error: unknown) => {
      if (ending.aborted || gone.signal.aborted) return
      if (!isDocsearchError(error)) log.error({ err: error }, 'the examination failed')
      const { code, message } = isDocsearchError(error)
        ? error
        : { code: 'internal_error', message: 'Internal error. See the server log.' }
      write({ error: { code, message } })
    },
  )
  void settled.finally(() => lines.end())
  // A refusal rejects here.
  await Promise.race([examined, new Promise((resolve) => setTimeout(resolve, REFUSAL_MS))])
  return lines
}
