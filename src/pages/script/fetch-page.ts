import { addressFor, revealScripted } from './dom.ts'

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

/** Calls `change`, which replaces elements, and returns the focus to the element with the same ID or address. */
export function keepFocus(change: () => void): void {
  const active = document.activeElement
  const selection =
    active instanceof HTMLInputElement && active.type !== 'date' ? [active.selectionStart, active.selectionEnd] : null
  change()
  if (active === null || active === document.body || active.isConnected) return
  const again =
    active.id === ''
      ? [...document.links].find((link) => active instanceof HTMLAnchorElement && link.href === active.href)
      : document.getElementById(active.id)
  again?.focus({ preventScroll: true })
  if (again instanceof HTMLInputElement && selection !== null) again.setSelectionRange(selection[0] ?? null, selection[1] ?? null)
}

/** Replaces an element by a newer version of it. Keeps the focus and what is ticked. Returns false if they are equal. */
export function swap(old: Element, fresh: Element): boolean {
  revealScripted(fresh)
  if (old.isEqualNode(fresh)) return false
  for (const box of old.querySelectorAll<HTMLInputElement>('input[type="checkbox"][id]')) {
    const same = fresh.querySelector<HTMLInputElement>(`#${CSS.escape(box.id)}`)
    if (same !== null) same.checked = box.checked
  }
  keepFocus(() => old.replaceWith(document.adoptNode(fresh)))
  return true
}
