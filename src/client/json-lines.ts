import type { DoctorLine, DoctorProgress, DoctorReport, DoctorRequest } from '../contract/doctor.ts'
import type { ModelPullLine } from '../contract/models.ts'
import { jsonOrNull } from '../core/json-or-null.ts'
import { ClientError, errorFromInstance } from './errors.ts'
import { failureOf, type Transport } from './transport.ts'

/** The model registry may take minutes to start sending. */
const PULL_IDLE_MS = 10 * 60_000
/** Checking a large database takes minutes without a line. */
const DOCTOR_IDLE_MS = 30 * 60_000

/** Downloads a model and yields the instance's progress. Throws ClientError, also when the download fails in the middle. */
export async function* readPull(
  transport: Transport,
  model: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelPullLine> {
  const request = { path: '/api/v1/models/pull', json: { model }, idleMs: PULL_IDLE_MS, signal }
  for await (const line of jsonLines(transport, request, 'download')) {
    const progress = line as ModelPullLine
    yield progress
    if (progress.status === 'success') return
  }
  throw new ClientError('pull_failed', 'The instance stopped the download. Run the command again to continue it.')
}

/** Examines the instance and returns its report. Throws ClientError. */
export async function readDoctor(
  transport: Transport,
  json: DoctorRequest,
  { onProgress, signal }: { onProgress: (progress: DoctorProgress) => void; signal: AbortSignal | undefined },
): Promise<DoctorReport> {
  const request = { path: '/api/v1/doctor', json, idleMs: DOCTOR_IDLE_MS, signal }
  for await (const line of jsonLines(transport, request, 'examination')) {
    const { progress, report } = line as DoctorLine
    if (report !== undefined) return report
    if (progress !== undefined) onProgress(progress)
  }
  throw new ClientError('invalid_answer', 'The instance ended the examination early. See the server log.')
}

/** Sends a request and yields the lines of its answer. Throws the error of a line that has one. `work` names the work in errors. */
async function* jsonLines(
  transport: Transport,
  request: { path: string; json: object; idleMs: number; signal: AbortSignal | undefined },
  work: string,
): AsyncGenerator<object> {
  const answer = await transport.open({ method: 'POST', accept: 'application/x-ndjson', ...request })
  try {
    let rest = ''
    for await (const part of answer.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      for (const text of lines) {
        const line = jsonOrNull(text) as DoctorLine | ModelPullLine | null
        if (line === null || typeof line !== 'object')
          throw new ClientError('invalid_answer', `The instance sent an invalid line during the ${work}.`)
        if (line.error !== undefined) throw errorFromInstance(line.error.code, line.error.message, {})
        yield line
      }
    }
  } catch (error) {
    throw failureOf(error, transport.address, request.signal)
  } finally {
    answer.destroy()
  }
}
