/** Returns the address of a path of this instance, which may be below a path of its host. */
export function addressFor(path: string): string {
  return (document.body.dataset['base'] ?? '/') + path.slice(1)
}

/** Creates an element. Strings become text, never markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** Calls `work` for the nearest element around each click that matches the selector. Also works for elements that are added later. */
export function onClick(selector: string, work: (target: HTMLElement, event: MouseEvent) => void): void {
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null
    if (target !== null) work(target, event)
  })
}

/** Shows the elements that are of use only with this script. Call it again for elements that are added later. */
export function revealScripted(within: ParentNode = document): void {
  for (const hidden of within.querySelectorAll<HTMLElement>('[data-copy], [data-copy-text], [data-scripted]'))
    hidden.hidden = false
}

/** Takes over what lies outside the main part of another view: the title, and what the width follows from. */
export function takeFrame(page: Document): void {
  const { frame } = page.body.dataset
  if (frame === undefined) delete document.body.dataset['frame']
  else document.body.dataset['frame'] = frame
  document.title = page.title
}

const region = element('div', { class: 'unseen', role: 'status' })

/** Adds the region. Screen readers announce only what changes in a region that is there already. */
export function startAnnouncing(): void {
  document.body.append(region)
}

/** Lets screen readers say a text. */
export function announce(text: string): void {
  // The same text again would be no change.
  region.textContent = region.textContent === text ? `${text}\u00a0` : text
}

/** Values in the browser's storage. A browser that refuses to store them forgets them with the view. */
const fallback = new Map<string, string>()

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return fallback.get(key) ?? null
  }
}

/** Removes the value when it is null. */
export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    if (value === null) fallback.delete(key)
    else fallback.set(key, value)
  }
}
