import type { DoctorLine, DoctorProgress, DoctorReport, DoctorRequest } from '../contract/doctor.ts'
import { ClientError, errorFromInstance } from './errors.ts'
import { failureOf } from './transport.ts'
import type { Transport } from './transport.ts'

/** Checking a large database takes minutes without a line. */
const IDLE_MS = 30 * 60_000

/** Examines the instance and returns its report. Throws ClientError. */
export async function readDoctor(
  transport: Transport,
  request: DoctorRequest,
  { onProgress, signal }: { onProgress: (progress: DoctorProgress) => void; signal: AbortSignal | undefined },
): Promise<DoctorReport> {
  const answer = await transport.open({
    method: 'POST',
    path: '/api/v1/doctor',
    json: request,
    accept: 'application/x-ndjson',
    idleMs: IDLE_MS,
    signal,
  })
  try {
    let rest = ''
    for await (const part of answer.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const { progress, report, error } = parse(line)
        if (error !== undefined) throw errorFromInstance(error.code, error.message, {})
        if (report !== undefined) return report
        if (progress !== undefined) onProgress(progress)
      }
    }
  } catch (error) {
    throw failureOf(error, transport.address, signal)
  } finally {
    answer.destroy()
  }
  throw new ClientError('invalid_answer', 'The instance ended the examination early. See the server log.')
}

function parse(line: string): DoctorLine {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The error below covers this too.
  }
  throw new ClientError('invalid_answer', 'The instance sent an invalid line during the examination.')
}
