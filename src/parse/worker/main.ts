import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { translateDiskError } from '../../core/disk-errors.ts'
import { DocsearchError } from '../../core/errors.ts'
import { crashed, outOfMemory } from '../failures.ts'
import { parseFile } from '../parse-file.ts'
import type { Attachment } from '../parser.ts'
import { answerPageInThread, checkPasswordInThread } from '../pdf/pdfium-thread.ts'
import type { Answer, Job } from './protocol.ts'
import { silenceConsole } from './silence.ts'

/** Applies to each member of a union, so that each answer keeps its own fields. */
type Body<T> = T extends unknown ? Omit<T, 'id' | 'rss'> : never

const PIECE_BYTES = 384 * 1024
const OUT_OF_MEMORY = /out of memory|OOM|enlarge memory|Array buffer allocation|memory left|Invalid string length/i

/**
 * A parser process: takes jobs over its channel, one after the other, and answers over it. It keeps nothing between jobs, has no
 * permission to write, and ends with its parent.
 */
function main(): void {
  silenceConsole()
  process.on('message', (job) => void work(job as Job))
  process.on('disconnect', () => process.exit(0))
  // A parser in an endless loop never gets the event above. A separate thread notices that the parent is gone.
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
    if (job.task === 'page') {
      const found = await answerPageInThread(job.file, job.question!)
      answer({ type: 'answer', answer: 'png' in found ? { png: Buffer.from(found.png).toString('base64') } : found })
      answer({ type: 'done', summary: null })
      return
    }
    if (job.task === 'wrap') {
      const { asPdf } = await import('../picture/picture.ts')
      await sendAttachment(job.id, { name: '', page: 1, bytes: asPdf(await readFile(job.file)) })
      answer({ type: 'done', summary: null })
      return
    }
    const summary = await parseFile(job, {
      open: (pageCount) => answer({ type: 'open', pageCount }),
      page: (page) => answer({ type: 'page', page }),
      attachment: (attachment) => sendAttachment(job.id, attachment),
    })
    answer({ type: 'done', summary })
  } catch (error) {
    const failure = diskFailureIn(error) ?? error
    const isKnown = failure instanceof DocsearchError
    const { code, message, details } = isKnown ? failure : toFailure(failure)
    const cause = String(isKnown ? failure.cause : failure)
    // After any other error the process gets no more jobs: a WebAssembly module that aborted never answers again.
    answer({ type: 'failed', code, message, details, cause, isProcessBroken: !isKnown })
  }
}

/** Sends an attachment in pieces, each when the channel has taken the one before. */
async function sendAttachment(id: number, { name, page, bytes }: Attachment): Promise<void> {
  for (let at = 0; at < bytes.length || at === 0; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES)
    const data = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64')
    const message: Answer = {
      id,
      rss: process.memoryUsage.rss(),
      type: 'attachment',
      name,
      page,
      data,
      isLast: at + PIECE_BYTES >= bytes.length,
    }
    // A channel that fails ends the process.
    await new Promise<void>((resolve) => process.send!(message, () => resolve()))
  }
}

/** A reader may take a file that can't be read for a damaged one. Then the document is not at fault, and docsearch reads it again later. */
function diskFailureIn(error: unknown): DocsearchError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? cause.code : undefined
    const translated = code === 'EIO' || code === 'EMFILE' || code === 'ENFILE' ? translateDiskError(cause) : null
    if (translated instanceof DocsearchError) return translated
  }
  return null
}

function toFailure(error: unknown): DocsearchError {
  return OUT_OF_MEMORY.test(String(error)) ? outOfMemory(0, error) : crashed(error)
}

main()
