import { PassThrough, type Readable } from 'node:stream'
import { doctorLine, type DoctorLine, doctorRequest } from '../../../contract/doctor.ts'
import { presentExamination } from '../../../contract/present/doctor.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { Actor } from '../../../services/access.ts'
import type { Doctor, DoctorRequest } from '../../../services/doctor.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'

export const doctorRoutes = ({ doctor, log }: Pick<Dependencies, 'doctor' | 'log'>): Route[] => [
  route({
    operationId: 'examineInstance',
    method: 'POST',
    path: '/api/v1/doctor',
    cost: 'streaming',
    tag: 'Instance',
    summary: 'Check the data of the instance for damage',
    description:
      'Reads the originals and compares them with their hashes, checks the database, the index and everything else that `docs/doctor.md` lists. The answer has one JSON object per line: progress, and at the end the report. Closing the connection ends the examination. One examination runs at a time.',
    access: 'manage:keys',
    role: 'owner',
    body: doctorRequest,
    answers: { 200: { description: 'Progress and the report, line by line', type: 'application/x-ndjson', schema: doctorLine } },
    problems: ['doctor_running'],
    async handle({ ctx, actor, body, ending }) {
      const [part = 1, of = 1] = body.subset.split('/').map(Number)
      ctx.body = await streamExamination({ doctor, log }, actor, {
        request: { subset: { part, of }, wantsFix: body.fix },
        ending,
      })
      ctx.set('Content-Type', 'application/x-ndjson; charset=utf-8')
      // Tells a reverse proxy not to buffer the lines.
      ctx.set('X-Accel-Buffering', 'no')
    },
  }),
]

/** How long to wait for the first line before answering. A refused examination rejects within this time. */
const REFUSAL_MS = 50

/** Answers with lines of JSON. An examination that is refused rejects like any other request; a later failure becomes the last line. */
async function streamExamination(
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
