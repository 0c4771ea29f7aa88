import { DocsearchError } from './errors.ts'

/** Writing starts to work again as soon as there is space, so a client may retry. */
export function diskFull(cause?: unknown): DocsearchError {
  const message = 'The disk that holds the data folder is full. Free some space; docsearch then continues by itself.'
  return new DocsearchError('disk_full', message, { cause, retryAfter: 30 })
}

export function dataReadonly(cause: unknown): DocsearchError {
  const message = 'Could not write to the data folder. Check its owner and permissions, or name another folder with --data.'
  return new DocsearchError('data_readonly', message, { cause })
}

export function diskError(cause: unknown): DocsearchError {
  const message = 'The disk that holds the data folder reported an error. Check the disk before you continue.'
  return new DocsearchError('disk_error', message, { cause })
}

export function tooManyFiles(cause: unknown): DocsearchError {
  const message =
    'The system does not let docsearch open more files. Raise the limit, for example with `ulimit -n 4096` or `LimitNOFILE` in its service, ' +
    'and start docsearch again.'
  return new DocsearchError('too_many_files', message, { cause })
}

/** Turns an error of the file system into one that a user can act on. Returns other errors as they are. */
export function translateDiskError(error: unknown): unknown {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(error)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return dataReadonly(error)
    case 'EMFILE':
    case 'ENFILE':
      return tooManyFiles(error)
    case 'EIO':
      return diskError(error)
    default:
      return error
  }
}
