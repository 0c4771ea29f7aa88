import { Worker } from 'node:worker_threads'
import { DocsearchError } from '../../core/errors.ts'
import { crashed, outOfMemory } from '../failures.ts'
import { parseFile } from '../parse-file.ts'
import { checkPasswordInThread } from '../pdf/pdfium-thread.ts'
import { silenceConsole } from './silence.ts'
import type { Answer, Job } from './protocol.ts'

/** Distributes over a union, so that each answer keeps its own fields. */
type Body<T> = T extends unknown ? Omit<T, 'id' | 'rss'> : never

/**
 * A parser process: takes jobs over its channel, one after the other, and answers over it. It holds no state between jobs,
 * writes nothing (it runs without the right to) and ends with its parent.
 */
function main(): void {
  silenceConsole()
  process.on('message', (job) => void work(job as Job))
  process.on('disconnect', () => process.exit(0))
  // The event above is not seen within a parser that loops; another thread sees that the parent is gone.
  const watchdog = new Worker(
    `const parent = ${process.ppid}; setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)`,
    { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 } },
  )
  watchdog.unref()
}

async function work(job: Job): Promise<void> {
  const answer = (body: Body<Answer>): void => {
    process.send?.({ id: job.id, rss: process.memoryUsage.rss(), ...body })
  }
  answer({ type: 'started' })
  try {
    if (job.task === 'preflight') {
      await checkPasswordInThread(job.file)
      answer({ type: 'done', summary: null })
      return
    }
    const summary = await parseFile(job, {
      open: (pageCount) => answer({ type: 'open', pageCount }),
      page: (page) => answer({ type: 'page', page }),
    })
    answer({ type: 'done', summary })
  } catch (error) {
    const known = error instanceof DocsearchError
    const failure = known ? error : explain(error)
    answer({
      type: 'failed',
      code: failure.code,
      message: failure.message,
      details: failure.details,
      cause: String(known ? error.cause : error),
      spent: !known,
    })
  }
}

/**
 * What is no DocsearchError is a parser that broke; the process is not used again, for a WebAssembly module that aborted
 * answers nothing more.
 */
function explain(error: unknown): DocsearchError {
  const memory = /out of memory|OOM|enlarge memory|Array buffer allocation|memory left|Invalid string length/i.test(String(error))
  return memory ? outOfMemory(0, error) : crashed(error)
}

main()
