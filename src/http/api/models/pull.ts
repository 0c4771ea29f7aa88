import { Readable } from 'node:stream'
import type { ModelPullLine } from '../../../contract/models.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { EmbedderModels } from '../../../embed/models.ts'

type Progress = ReturnType<EmbedderModels['pull']>

/**
 * A download as lines of JSON. The first line is waited for, so that what fails at once is a refusal like any other; what fails later is the last line.
 */
export async function pullAnswer(progress: Progress, signal: AbortSignal, log: Logger): Promise<Readable> {
  const first = await progress.next()
  return Readable.from(lines(first, progress, signal, log), { objectMode: false })
}

async function* lines(
  first: Awaited<ReturnType<Progress['next']>>,
  progress: Progress,
  signal: AbortSignal,
  log: Logger,
): AsyncGenerator<string> {
  let last = ''
  try {
    for (let next = first; next.done !== true; next = await progress.next()) {
      const { status, completedBytes, totalBytes } = next.value
      const line = write({ status, completed_bytes: completedBytes, total_bytes: totalBytes })
      // Ollama says the same many times a second.
      if (line !== last) yield line
      last = line
    }
  } catch (error) {
    if (signal.aborted) return
    if (!isDocsearchError(error)) log.error({ err: error }, 'a download broke off')
    const told = isDocsearchError(error)
      ? { code: error.code, message: error.message }
      : { code: 'internal_error', message: 'The instance failed. Its log has the reason.' }
    yield write({ status: 'error', completed_bytes: null, total_bytes: null, error: told })
  } finally {
    // Whoever asked has gone: the download ends.
    await progress.return(undefined)
  }
}

const write = (line: ModelPullLine): string => `${JSON.stringify(line)}\n`
