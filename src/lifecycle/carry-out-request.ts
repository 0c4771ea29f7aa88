import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { HeldLease, ModelRequestRecords } from '../records/shared.ts'
import type { Lifecycle } from './lifecycle.ts'

export interface RequestParts {
  lifecycle: Pick<Lifecycle, 'use'>
  requests: Pick<ModelRequestRecords, 'newest' | 'answer'>
  /** The lease of the process that writes the index. */
  held: Pick<HeldLease, 'isStillHeld'>
  log: Logger
}

/** Carries out a user's request to use a model, and answers it. Returns false if the model can't be used yet. */
export async function carryOutRequest({ lifecycle, requests, held, log }: RequestParts): Promise<boolean> {
  const request = await requests.newest()
  if (request === null || (request.answer !== null && !('failure' in request.answer))) return true
  try {
    const { state, notice } = await lifecycle.use(request.embedder)
    await requests.answer(request, { state, notice })
    return true
  } catch (error) {
    // An answer would end the request. The next writer may be able to use the model.
    if (!(await held.isStillHeld())) throw error
    log.error({ err: error, embedder: request.embedder }, 'the requested embedder cannot be used; trying again later')
    await requests.answer(request, { failure: isDocsearchError(error) ? error.message : 'Internal error. See its server log.' })
    return false
  }
}
