import { announce, addressFor, takeFrame } from './dom.ts'
import { fetchPage, LoggedOut, swap } from './fetch-page.ts'

/*
 * Keeps elements with `data-live`, the ID of a document, up to date while one of them is `data-pending`. Events only say that a
 * document has changed: the instance renders the elements, in the same view or at the address in `data-live-from`.
 */

const EVENTS = ['queued', 'processing', 'ready', 'failed', 'deleted'].map((name) => `document.${name}`)
/** Events that come together lead to one request. */
const GATHER_MS = 1000
const MAX_RETRY_MS = 60_000
/** The view that shows documents by their IDs takes no more at a time. */
const MAX_IDS = 50

let stream: EventSource | undefined
let lastId = ''
let retryMs = 0
let retryTimer: ReturnType<typeof setTimeout> | undefined
const changed = new Set<string>()
let gatherTimer: ReturnType<typeof setTimeout> | undefined
/** Requests in a row that got no answer. */
let failures = 0
let onUpdate: () => void = () => {}

export function startLive(options: { onUpdate(): void }): void {
  onUpdate = options.onUpdate
  document.addEventListener('visibilitychange', follow)
  // The browser keeps the view for its Back button, and the stream would count towards the user's limit.
  addEventListener('pagehide', close)
  addEventListener('pageshow', follow)
  follow()
}

/** Opens or closes the stream of events, as the view needs it. Call it when elements were added. */
export function follow(): void {
  const isNeeded = document.visibilityState === 'visible' && pending().length > 0
  if (!isNeeded) close()
  else if (stream === undefined && retryTimer === undefined) open()
}

/** Fetches the elements of these documents again. */
export function refresh(ids: readonly string[]): void {
  for (const id of ids) changed.add(id)
  if (changed.size > 0) gatherTimer ??= setTimeout(() => void update(), GATHER_MS)
}

function pending(): string[] {
  return [...document.querySelectorAll<HTMLElement>('[data-live][data-pending]')].map(idOf)
}

function idOf({ dataset }: HTMLElement): string {
  return dataset['live'] ?? ''
}

function close(): void {
  stream?.close()
  stream = undefined
  clearTimeout(retryTimer)
  retryTimer = undefined
}

function open(): void {
  const source = new EventSource(addressFor('/events') + (lastId === '' ? '' : `?last_event_id=${encodeURIComponent(lastId)}`))
  stream = source
  source.addEventListener('open', () => {
    retryMs = 0
    // Something may have changed between the view and the stream.
    if (lastId === '') refresh(pending())
  })
  source.addEventListener('error', () => {
    // Otherwise the browser connects again by itself, with the ID of the last event.
    if (source.readyState === EventSource.CLOSED && stream === source) retry()
  })
  source.addEventListener('events.missed', (event: MessageEvent<string>) => {
    lastId = event.lastEventId
    refresh(pending())
  })
  for (const name of EVENTS) source.addEventListener(name, heard)
}

function heard({ data, lastEventId }: MessageEvent<string>): void {
  lastId = lastEventId
  const { document_id: id } = JSON.parse(data) as { document_id: string }
  if (document.querySelector(`[data-live="${CSS.escape(id)}"]`) !== null) refresh([id])
}

/** The instance refused the stream, for example because the user has too many. */
function retry(): void {
  close()
  retryMs = Math.min(Math.max(2 * retryMs, 2000), MAX_RETRY_MS)
  refresh(pending())
  retryTimer = setTimeout(() => {
    retryTimer = undefined
    follow()
  }, retryMs)
}

async function update(): Promise<void> {
  const ids = [...changed]
  changed.clear()
  try {
    const settled: HTMLElement[] = []
    for (const [address, wanted] of addressesOf(ids)) {
      const { document: page } = await fetchPage(address)
      settled.push(...replace(page, wanted))
    }
    if (settled.length > 0) announce(wordsFor(settled))
    failures = 0
  } catch (error) {
    // The login leads back to this view. Files that are not sent yet would be lost.
    if (error instanceof LoggedOut && document.querySelector('#sending-files:not([hidden])') === null) return location.reload()
    for (const id of ids) changed.add(id)
    failures++
  }
  gatherTimer =
    changed.size === 0 ? undefined : setTimeout(() => void update(), Math.min(failures * 2000, MAX_RETRY_MS) || GATHER_MS)
  onUpdate()
  follow()
}

/** Returns the addresses that show the elements of these documents, each with its documents. */
function addressesOf(ids: readonly string[]): [address: string, ids: string[]][] {
  const here: string[] = []
  const elsewhere = new Map<string, string[]>()
  for (const id of ids) {
    const from = document.querySelector(`[data-live="${CSS.escape(id)}"]`)?.closest<HTMLElement>('[data-live-from]')?.dataset[
      'liveFrom'
    ]
    if (from === undefined) here.push(id)
    else elsewhere.set(from, [...(elsewhere.get(from) ?? []), id])
  }
  const addresses: [string, string[]][] = here.length === 0 ? [] : [[location.pathname + location.search, here]]
  for (const [from, wanted] of elsewhere)
    for (let at = 0; at < wanted.length; at += MAX_IDS) {
      const part = wanted.slice(at, at + MAX_IDS)
      addresses.push([`${from}?ids=${part.join(',')}`, part])
    }
  return addresses
}

/** Replaces the elements that the fetched view has too. Returns those that are no longer pending. */
function replace(page: Document, wanted: readonly string[]): HTMLElement[] {
  const settled: HTMLElement[] = []
  const fresh = new Map([...page.querySelectorAll<HTMLElement>('[data-live]')].map((element) => [idOf(element), element]))
  for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const element = fresh.get(idOf(old))
    const wasPending = old.dataset['pending'] !== undefined
    if (element === undefined && wanted.includes(idOf(old))) leave(old)
    if (element === undefined || !swap(old, element)) continue
    if (element.matches('main')) takeFrame(page)
    // A list of files has its own summary.
    const isSettled = wasPending && element.dataset['pending'] === undefined
    if (isSettled && element.closest('[data-live-from]') === null) settled.push(element)
  }
  return settled
}

/** The document is gone, or no longer belongs to this view, such as a list of those in progress. */
function leave(old: HTMLElement): void {
  delete old.dataset['pending']
  if (!old.matches('tr')) return
  const neighbour = old.nextElementSibling ?? old.previousElementSibling
  // The view says what an empty list means.
  if (neighbour === null) return location.reload()
  if (old.contains(document.activeElement)) neighbour.querySelector<HTMLElement>('[data-item]')?.focus()
  old.remove()
}

function wordsFor(settled: readonly HTMLElement[]): string {
  const [first] = settled
  if (first === undefined || settled.length > 1) return `${settled.length} documents are done.`
  const name = first.querySelector('.file-name, .name bdi:last-child, h1 bdi')?.textContent ?? 'The document'
  return `${name}: ${first.querySelector('.badge')?.textContent ?? 'Ready'}`
}
