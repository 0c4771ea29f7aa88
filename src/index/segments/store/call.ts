import { parentPort } from 'node:worker_threads'
import pLimit from 'p-limit'
import { translateDiskError } from '../../../core/disk-errors.ts'
import { DocsearchError, isErrorCode } from '../../../core/errors.ts'
import { lowerPriorityOfThread } from '../../../core/priority.ts'
import { indexFailure } from '../../failures.ts'
import type { Calls, Failure } from './protocol.ts'

export interface Call {
  id: number
  kind: string
  request: object
}

export type Answer = { id: number; answer: unknown } | { id: number; failure: Failure }

export type Handlers<C extends Calls<C>> = {
  [K in keyof C]: (request: C[K]['request']) => C[K]['answer'] | Promise<C[K]['answer']>
}

/** Makes this thread answer calls, one after another. */
export function answerCalls<C extends Calls<C>>(handlers: Handlers<C>): void {
  lowerPriorityOfThread()
  const inTurn = pLimit(1)
  const run = async ({ id, kind, request }: Call): Promise<Answer> => {
    try {
      return { id, answer: await handlers[kind as keyof C](request) }
    } catch (error) {
      return { id, failure: toFailure(error) }
    }
  }
  parentPort!.on('message', (call: Call) => void inTurn(async () => parentPort!.postMessage(await run(call))))
}

export function toFailure(error: unknown): Failure {
  const cause = translateDiskError(error)
  const { message, stack } = cause instanceof Error ? cause : new Error(String(cause))
  return { code: cause instanceof DocsearchError ? cause.code : undefined, message, stack }
}

/** Returns the error of another thread. Any error but a DocsearchError becomes `index_failed`. */
export function toError({ code, message, stack }: Failure): DocsearchError {
  const cause = Object.assign(new Error(message), { stack })
  if (code === undefined || !isErrorCode(code)) return indexFailure(cause)
  const retryAfter = code === 'disk_full' ? 30 : code === 'store_unavailable' ? 5 : undefined
  return new DocsearchError(code, message, { cause, ...(retryAfter !== undefined && { retryAfter }) })
}
