import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError } from '../../../client/errors.ts'
import { retry } from '../../../client/retry.ts'

const MAX_ATTEMPTS = 12
const MAX_CONNECTIONS = 3
const MAX_PAUSE_S = 60

/**
 * Makes a request, and waits as long as a busy instance (429, 503) asks. A broken connection is tried again, because the
 * instance never stores the same bytes twice. Throws ClientError `aborted` when the signal aborts.
 */
export function patiently<T>(
  act: () => Promise<T>,
  going: AbortSignal,
  onWait: (seconds: number, reason: string) => void,
): Promise<T> {
  return retry(
    async () => {
      if (going.aborted) throw new ClientError('aborted', 'Cancelled.')
      return act()
    },
    (error, attempt) => {
      if (!(error instanceof ClientError) || attempt >= MAX_ATTEMPTS) return null
      const isBusy = error.status === 429 || error.status === 503
      if (!isBusy && !(isBrokenConnection(error) && attempt < MAX_CONNECTIONS)) return null
      const seconds = Math.min(MAX_PAUSE_S, error.retryAfter ?? 2 ** (attempt - 1))
      if (isBusy) onWait(seconds, error.detail)
      return seconds
    },
    async (seconds) => {
      await sleep(seconds * 1000, undefined, { signal: going }).catch(() => {
        throw new ClientError('aborted', 'Cancelled.')
      })
    },
  )
}

function isBrokenConnection({ code, details }: ClientError): boolean {
  return code === 'unreachable' && ['ECONNRESET', 'EPIPE'].includes(String(details['reason']))
}
