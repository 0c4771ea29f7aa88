import { announce, addressFor, element, onClick, readStored, writeStored } from './dom.ts'

const STORED = 'docsearch.shortcuts'
/** Results and documents of a list, in their order. */
const ITEMS = '[data-item]'

/** What the help lists. */
const HELP: readonly [keys: string, does: string][] = [
  ['/', 'Go to the search field'],
  ['j k', 'Next and previous result or document'],
  ['Enter o', 'Open the result'],
  ['n p', 'Next and previous hit in the document'],
  ['[ ]', 'Previous and next page'],
  ['c', 'Copy the quote or the command'],
  ['?', 'Show this help'],
  ['Esc', 'Close this help, or leave a field'],
]

/**
 * Single keys that move through results and documents. A view marks the element that a key presses with `data-shortcut`, and the
 * items of a list with `data-item`.
 */
export function startShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || hasModifier(event)) return
    const { target } = event
    if (event.key === 'Escape' && isTyping(target)) {
      // Browsers would empty a search field.
      event.preventDefault()
      return target.blur()
    }
    if (!isOn() || isTyping(target) || document.querySelector('dialog[open]') !== null) return
    if (press(event.key)) event.preventDefault()
  })
  onClick('[data-shortcuts-help]', showHelp)
}

function isOn(): boolean {
  return readStored(STORED) !== 'off'
}

/** On many keyboards, AltGr types the brackets, and browsers report it as Ctrl and Alt. */
function hasModifier(event: KeyboardEvent): boolean {
  return event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph'))
}

function isTyping(target: EventTarget | null): target is HTMLElement {
  if (!(target instanceof HTMLElement)) return false
  const isButton = target instanceof HTMLInputElement && ['checkbox', 'radio', 'button', 'submit', 'file'].includes(target.type)
  return target.isContentEditable || (target.matches('input, textarea, select') && !isButton)
}

/** Does what belongs to the key. Returns false if it means nothing in this view. */
function press(key: string): boolean {
  const marked = [...document.querySelectorAll<HTMLElement>('[data-shortcut]')].find(
    (element) => element.dataset['shortcut'] === key && element.checkVisibility(),
  )
  if (marked !== undefined) activate(marked)
  else if (key === '/') goToSearch()
  else if (key === 'j' || key === 'k') return move(document.querySelectorAll<HTMLElement>(ITEMS), key === 'j' ? 1 : -1)
  else if (key === 'n' || key === 'p') return moveToHit(key === 'n' ? 1 : -1)
  else if (key === '[' || key === ']') return turnPage(key === '[' ? 'prev' : 'next')
  else if (key === 'o' && document.activeElement?.matches(ITEMS) === true) activate(document.activeElement as HTMLElement)
  else if (key === 'c') return copySomething()
  else if (key === '?') showHelp()
  else return false
  return true
}

function activate(target: HTMLElement): void {
  if (!target.matches('input, textarea, select')) return target.click()
  target.focus()
  if (target instanceof HTMLInputElement) target.select()
}

function goToSearch(): void {
  const field = document.querySelector<HTMLElement>('#q')
  if (field === null) location.assign(addressFor('/'))
  else activate(field)
}

/** Moves the focus to the next or the previous element. */
function move(list: Iterable<HTMLElement>, by: 1 | -1): boolean {
  const items = [...list]
  const at = items.findIndex((item) => item === document.activeElement)
  const next = items[at === -1 ? (by === 1 ? 0 : items.length - 1) : at + by]
  next?.focus()
  // In the middle of the window, no bar covers a hit.
  next?.scrollIntoView({ block: next.matches('mark') ? 'center' : 'nearest' })
  return items.length > 0
}

/** Moves to a word that is marked in the text of a document. */
function moveToHit(by: 1 | -1): boolean {
  const hits = [...document.querySelectorAll<HTMLElement>('#text mark')].filter(
    (mark) => mark.querySelector('mark') === null && mark.checkVisibility(),
  )
  for (const hit of hits) hit.tabIndex = -1
  const isMoved = move(hits, by)
  const at = hits.findIndex((hit) => hit === document.activeElement)
  if (at !== -1) announce(`Hit ${at + 1} of ${hits.length}`)
  return isMoved
}

/** The last link is that of the page image, where there is one. */
function turnPage(to: 'prev' | 'next'): boolean {
  const link = [...document.querySelectorAll<HTMLElement>(`a[rel="${to}"]`)].findLast((found) => found.checkVisibility())
  link?.click()
  return link !== undefined
}

function copySomething(): boolean {
  const button = document.querySelector<HTMLElement>('main [data-copy], main [data-copy-text]')
  button?.click()
  return button !== null
}

let help: HTMLDialogElement | undefined

function showHelp(): void {
  help ??= makeHelp()
  if (!help.open) help.showModal()
}

function makeHelp(): HTMLDialogElement {
  const toggle = element('input', { type: 'checkbox', id: 'shortcuts-on' })
  toggle.checked = isOn()
  toggle.addEventListener('change', () => {
    writeStored(STORED, toggle.checked ? null : 'off')
    announce(toggle.checked ? 'Shortcuts are on.' : 'Shortcuts are off.')
  })
  const rows = HELP.flatMap(([keys, does]) => [
    element('dt', {}, ...keys.split(' ').map((key) => element('kbd', {}, key))),
    element('dd', {}, does),
  ])
  const dialog = element(
    'dialog',
    { class: 'shortcuts', 'aria-labelledby': 'shortcuts-title' },
    element('h2', { id: 'shortcuts-title' }, 'Keyboard shortcuts'),
    element('dl', {}, ...rows),
    element('p', { class: 'choose' }, toggle, element('label', { for: 'shortcuts-on' }, 'Use these shortcuts in this browser')),
    element('form', { method: 'dialog' }, element('button', {}, 'Close')),
  )
  document.body.append(dialog)
  return dialog
}
