import { revealScripted } from './dom.ts'

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
