import { addressFor, element, onClick } from './dom.ts'
import { readStored, writeStored } from './stored.ts'

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
export function showRecent(): void {
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
