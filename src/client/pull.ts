import type { ModelPullLine } from '../contract/models.ts'
import { ClientError, errorFromInstance } from './errors.ts'
import { failureOf } from './transport.ts'
import type { Transport } from './transport.ts'

// The model registry may take minutes to start sending.
const IDLE_MS = 10 * 60_000

/** Downloads a model and yields the instance's progress. Throws ClientError, also when the download fails in the middle. */
export async function* readPull(
  transport: Transport,
  model: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelPullLine> {
  const answer = await transport.open({
    method: 'POST',
    path: '/api/v1/models/pull',
    json: { model },
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
        const progress = parse(line)
        if (progress.error !== undefined) throw errorFromInstance(progress.error.code, progress.error.message, {})
        yield progress
        if (progress.status === 'success') return
      }
    }
  } catch (error) {
    throw failureOf(error, transport.address, signal)
  } finally {
    answer.destroy()
  }
  throw new ClientError('pull_failed', 'The instance stopped the download. Run the command again to continue it.')
}

function parse(line: string): ModelPullLine {
  try {
    const value = JSON.parse(line) as Partial<ModelPullLine>
    if (typeof value.status === 'string') return value as ModelPullLine
  } catch {
    // The error below covers this too.
  }
  throw new ClientError('invalid_answer', 'The instance sent an invalid line during the download.')
}
