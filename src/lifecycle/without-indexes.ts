import { DocsearchError } from '../core/errors.ts'
import type { IndexReading } from './lifecycle.ts'

const MESSAGE = 'This process does not search.'

/** The lifecycle of a process that answers no searches. Other code writes indexes while the process has the lease. */
export function withoutIndexes(): IndexReading {
  const refuse = async (): Promise<never> => {
    throw new DocsearchError('unavailable', MESSAGE)
  }
  return {
    active: () => null,
    building: () => null,
    inactive: () => [],
    indexes: async () => [],
    use: refuse,
    test: refuse,
    remove: refuse,
    choice: () => ({ embedder: 'none', reason: MESSAGE }),
    status: async () => ({ embedder: { status: 'ok', message: MESSAGE }, index: { status: 'ok', message: MESSAGE } }),
    onChange: () => () => {},
    waitFor: refuse,
    close: async () => {},
  }
}
