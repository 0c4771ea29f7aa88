import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import type { ChunkIndex } from './chunk-index.ts'

// LanceDB's errors have no codes: what the system said stands somewhere in the message.
const DISK_FULL = /no space left|os error 28\b|ENOSPC|quota exceeded|os error 122\b/i
const OUT_OF_HANDLES = /too many open files|os error 24\b|cannot allocate memory|os error 12\b/i

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What went wrong in the index, as one of our errors: `disk_full` or `index_failed`. */
export function indexFailure(error: unknown): DocsearchError {
  if (error instanceof DocsearchError) return error
  if (DISK_FULL.test(message(error))) {
    return new DocsearchError('disk_full', 'The disk with the data folder is full. Make room: indexing then goes on by itself.', {
      cause: error,
      retryAfter: 60,
    })
  }
  return new DocsearchError('index_failed', 'The search index could not do this. The log says why.', {
    cause: error,
  })
}

/** An error while everything is read: the files are damaged, unless the system had no means to read them. */
export function readFailure(error: unknown): DocsearchError {
  if (error instanceof DocsearchError || DISK_FULL.test(message(error)) || OUT_OF_HANDLES.test(message(error)))
    return indexFailure(error)
  return corrupt('The files of the search index are damaged; it has to be built anew from the documents.', error)
}

export function corrupt(text: string, cause?: unknown): DocsearchError {
  return new DocsearchError('index_corrupt', text, { cause })
}

/**
 * True when the files of an index are damaged. `index_corrupt` always means that. `index_failed` can mean it, because LanceDB's errors don't say
 * what was wrong: then `index`, where given, is checked.
 */
export async function isDamaged(error: unknown, index?: Pick<ChunkIndex, 'check'>): Promise<boolean> {
  if (isDocsearchError(error, 'index_corrupt')) return true
  return index !== undefined && isDocsearchError(error, 'index_failed') && !(await index.check()).ok
}
