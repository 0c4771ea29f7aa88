import { Readable } from 'node:stream'
import type { ModelPullLine } from '../../../contract/models.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { PullProgress } from '../../../services/models.ts'

/**
 * Answers with the progress of a download as lines of JSON. Waits for the first line, so that a download that fails at once is refused like any
 * other request. A later failure becomes the last line.
 */
export async function streamPull(progress: PullProgress, signal: AbortSignal, log: Logger): Promise<Readable> {
  const first = await progress.next()
  return Readable.from(lines(first, progress, signal, log), { objectMode: false })
}

async function* lines(
  first: Awaited<ReturnType<PullProgress['next']>>,
  progress: PullProgress,
  signal: AbortSignal,
  log: Logger,
): AsyncGenerator<string> {
  let last = ''
  try {
    for (let next = first; next.done !== true; next = await progress.next()) {
      const { status, completedBytes, totalBytes } = next.value
      const line = write({ status, completed_bytes: completedBytes, total_bytes: totalBytes })
      // Ollama repeats itself many times a second.
      if (line !== last) yield line
      last = line
    }
  } catch (error) {
    if (signal.aborted) return
    if (!isDocsearchError(error)) log.error({ err: error }, 'model download failed')
    const shown = isDocsearchError(error)
      ? { code: error.code, message: error.message }
      : { code: 'internal_error', message: 'Internal error. See the server log.' }
    yield write({ status: 'error', completed_bytes: null, total_bytes: null, error: shown })
  } finally {
    // The client may have gone: then the download ends too.
    await progress.return(undefined)
  }
}

const write = (line: ModelPullLine): string => `${JSON.stringify(line)}\n`
