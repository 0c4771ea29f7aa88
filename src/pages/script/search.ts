import { announce, addressFor, revealScripted, takeFrame, element, onClick, readStored, writeStored } from './dom.ts'
import { fetchPage, keepFocus } from './fetch-page.ts'

const PAUSE_MS = 200
const FORM = 'search'

let timer: ReturnType<typeof setTimeout> | undefined
let running: AbortController | undefined

/** Searches while the user types, and at once when a filter changes. Only the answer to the newest question is shown. */
export function startSearching(): void {
  document.addEventListener('input', (event) => {
    const { target } = event
    if (target instanceof HTMLInputElement && target.id === 'q' && !event.isComposing) later(target.form)
  })
  document.addEventListener('compositionend', ({ target }) => {
    if (target instanceof HTMLInputElement && target.id === 'q') later(target.form)
  })
  document.addEventListener('change', ({ target }) => {
    const form = target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? target.form : null
    if (form?.id !== FORM || (target as HTMLElement).id === 'q') return
    if (addressOf(form) !== addressFor('/')) search(form, false)
  })
  document.addEventListener('submit', stop)
}

function stop(): void {
  clearTimeout(timer)
  running?.abort()
}

function later(form: HTMLFormElement | null): void {
  if (form?.id !== FORM) return
  stop()
  timer = setTimeout(() => search(form, true), PAUSE_MS)
}

function search(form: HTMLFormElement, isTyping: boolean): void {
  stop()
  const controller = new AbortController()
  running = controller
  update(form, addressOf(form), isTyping, controller.signal).catch((error: unknown) => {
    if (controller.signal.aborted) return
    // Without an answer, the browser says what is wrong when it opens the address.
    if (isTyping && error instanceof TypeError) announce('The instance cannot be reached.')
    else location.assign(addressOf(form))
  })
}

/** Returns the address of the form's search without empty fields. Without a question, that of the start view. */
function addressOf(form: HTMLFormElement): string {
  const fields = [...new FormData(form)].filter(
    (field): field is [string, string] => typeof field[1] === 'string' && field[1] !== '',
  )
  const home = addressFor('/')
  return fields.some(([name, value]) => name === 'q' && value.trim() !== '') ? `${home}?${new URLSearchParams(fields)}` : home
}

async function update(form: HTMLFormElement, address: string, isTyping: boolean, signal: AbortSignal): Promise<void> {
  const { status, document: page } = await fetchPage(address, signal)
  const fresh = page.querySelector('main.find')
  // A question that is not finished may be wrong, such as one that only has a word to leave out.
  if (isTyping && status >= 400) return
  if (fresh === null) return location.assign(address)
  show(form, page, fresh)
  history.replaceState(null, '', address)
  showRecent()
  const found = document.querySelector('.found, .empty h2')?.textContent ?? ''
  if (address !== addressFor('/')) announce(found.split(' · ')[0] ?? '')
}

/** Replaces everything around the field, which keeps its text and the caret. */
function show(form: HTMLFormElement, page: Document, fresh: Element): void {
  const main = document.querySelector('main')
  const freshForm = fresh.querySelector<HTMLFormElement>(`#${FORM}`)
  if (main === null || freshForm === null) return
  const open = [...main.querySelectorAll('details[open]')].map(({ className }) => className)
  for (const details of fresh.querySelectorAll('details')) details.open ||= open.includes(details.className)
  revealScripted(fresh)
  keepFocus(() => {
    for (const child of main.querySelectorAll(':scope > *')) if (child !== form) child.remove()
    const children = [...fresh.children]
    const at = children.indexOf(freshForm)
    form.before(...children.slice(0, at))
    form.after(...children.slice(at + 1))
    for (const hidden of form.querySelectorAll('input[type="hidden"]')) hidden.remove()
    form.append(...freshForm.querySelectorAll('input[type="hidden"]'))
  })
  main.className = fresh.className
  takeFrame(page)
}

const MAX_SEARCHES = 8

interface RecentSearch {
  question: string
  /** The query of the address, with the filters. */
  query: string
}

/** Keeps the last searches in this browser, for each user, and shows them on the start view. */
export function startRecent(): void {
  remember()
  showRecent()
  // A question that was typed counts when a result is opened.
  onClick('.results a', remember)
  onClick('[data-clear-recent]', () => {
    forget()
    document.querySelector<HTMLElement>('#q')?.focus()
  })
  document.addEventListener('submit', ({ target }) => {
    if (target instanceof HTMLFormElement && new URL(target.action).pathname === addressFor('/logout')) forget()
  })
}

function storedName(): string {
  return `docsearch.recent.${document.body.dataset['viewer'] ?? ''}`
}

function forget(): void {
  writeStored(storedName(), null)
  showRecent()
}

function remember(): void {
  if (document.querySelector('.results') === null) return
  const fields = new URLSearchParams(location.search)
  fields.delete('offset')
  const question = fields.get('q')?.trim() ?? ''
  if (question === '') return
  const query = `?${fields}`
  const others = read().filter((search) => search.query !== query)
  writeStored(storedName(), JSON.stringify([{ question, query }, ...others].slice(0, MAX_SEARCHES)))
}

function read(): RecentSearch[] {
  try {
    const stored: unknown = JSON.parse(readStored(storedName()) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isSearch) : []
  } catch {
    return []
  }
}

function isSearch(value: unknown): value is RecentSearch {
  const { question, query } = (value ?? {}) as Partial<RecentSearch>
  return typeof question === 'string' && typeof query === 'string' && query.startsWith('?')
}

/** Fills the list of the start view. */
function showRecent(): void {
  const section = document.querySelector<HTMLElement>('#recent-searches')
  const list = section?.querySelector('ul')
  if (section == null || list == null) return
  const searches = read()
  list.replaceChildren(
    ...searches.map(({ question, query }) =>
      element('li', {}, element('a', { href: addressFor('/') + query, dir: 'auto' }, question)),
    ),
  )
  section.hidden = searches.length === 0
}
