import type { ModelPullLine } from '../contract/models.ts'
import { ClientError, errorFromInstance } from './errors.ts'
import { failureOf } from './transport.ts'
import type { Transport } from './transport.ts'

// A registry may take its time to begin.
const IDLE_MS = 10 * 60_000

/** The download of a model as the instance tells it. Throws ClientError; a failure after it had begun is one too. */
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
        const said = parse(line)
        if (said.error !== undefined) throw errorFromInstance(said.error.code, said.error.message, { fault: 'internal' })
        yield said
        if (said.status === 'success') return
      }
    }
  } catch (error) {
    throw failureOf(error, transport.address, signal)
  } finally {
    answer.destroy()
  }
  throw new ClientError('pull_failed', 'The instance broke the download off; ask for it again, it goes on where it was.', {
    fault: 'internal',
  })
}

function parse(line: string): ModelPullLine {
  try {
    const value = JSON.parse(line) as Partial<ModelPullLine>
    if (typeof value.status === 'string') return value as ModelPullLine
  } catch {
    // Falls through to the error below, which says the same.
  }
  throw new ClientError('invalid_answer', 'The instance sent a line that is none of a download.')
}
