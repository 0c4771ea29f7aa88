import { announce, element, onClick } from './dom.ts'

const SHOWN_MS = 2000

/** Buttons with `data-copy-text="…"` copy this text. Buttons with `data-copy="#id"` copy the value or the text of that element. */
export function startCopying(): void {
  onClick('[data-copy], [data-copy-text]', (button) => void copy(button))
}

async function copy(button: HTMLElement): Promise<void> {
  const { copy: selector = '', copyText } = button.dataset
  const source = copyText === undefined ? document.querySelector<HTMLElement>(selector) : null
  const text = copyText ?? (source instanceof HTMLInputElement ? source.value : (source?.textContent ?? ''))
  if (await toClipboard(text)) confirm(button)
  else {
    if (source !== null) getSelection()?.selectAllChildren(source)
    announce('Could not copy. Select the text and copy it with the keyboard.')
  }
}

/** Browsers offer the clipboard only over HTTPS and on localhost, so there is a second way. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const active = document.activeElement
    const area = element('textarea', { class: 'unseen', 'aria-hidden': 'true' })
    area.value = text
    // A modal dialog makes everything outside it inert.
    ;(active?.closest('dialog') ?? document.body).append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    if (active instanceof HTMLElement) active.focus()
    return isCopied
  }
}

function confirm(button: HTMLElement): void {
  announce('Copied')
  if (button.dataset['label'] !== undefined) return
  button.dataset['label'] = button.textContent
  button.textContent = 'Copied'
  setTimeout(() => {
    button.textContent = button.dataset['label'] ?? ''
    delete button.dataset['label']
  }, SHOWN_MS)
}
