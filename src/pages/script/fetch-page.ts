import { addressFor } from './dom.ts'

const DEFAULT_WAIT_SECONDS = 5

export interface FetchedPage {
  status: number
  document: Document
}

/** The user has been logged out. */
export class LoggedOut extends Error {}

/**
 * Fetches a view of this instance. Waits when the instance asks for less haste. Throws `LoggedOut`, and an AbortError when the
 * signal aborts.
 */
export async function fetchPage(address: string, signal?: AbortSignal): Promise<FetchedPage> {
  for (;;) {
    const response = await fetch(address, { headers: { Accept: 'text/html' }, ...(signal === undefined ? {} : { signal }) })
    if (response.redirected && new URL(response.url).pathname === addressFor('/login')) throw new LoggedOut()
    if (response.status !== 429 && response.status !== 503) {
      const document = new DOMParser().parseFromString(await response.text(), 'text/html')
      return { status: response.status, document }
    }
    await wait(waitSeconds(response.headers.get('Retry-After')) * 1000, signal)
  }
}

export function waitSeconds(retryAfter: string | null): number {
  const seconds = Number(retryAfter)
  return seconds > 0 ? seconds : DEFAULT_WAIT_SECONDS
}

export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
