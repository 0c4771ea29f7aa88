import { element } from './dom.ts'

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
