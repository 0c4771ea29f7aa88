import { doctorLine, doctorRequest } from '../../../contract/doctor.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { streamExamination } from './stream.ts'

export const doctorRoutes = ({ doctor, log }: Pick<Dependencies, 'doctor' | 'log'>): Route[] => [
  route({
    operationId: 'examineInstance',
    method: 'POST',
    path: '/api/v1/doctor',
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
