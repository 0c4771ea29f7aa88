import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import type { SignedInProps } from '../../../pages/layout.tsx'

/** A browser follows the redirect to the view at once. */
const KEPT_MS = 60_000
const MAX_OF_SESSION = 10
const MAX_VIEWS = 10_000

export type OneTimeView = (page: SignedInProps) => string

interface Kept {
  sessionId: string
  /** Null after the view was shown. */
  render: OneTimeView | null
  /** Where the user goes who opens the address again. */
  next: string
  endsAt: number
}

/**
 * Views with a new secret, each shown once, to the session that created the secret. After a form, the browser is redirected to such
 * a view, so reloading the view creates no second secret. Only memory has them: after a restart, the secret is lost, and its user
 * creates another.
 */
export class OneTimeViews {
  /** In the order in which they end. */
  readonly #views = new Map<string, Kept>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the ID under which the session finds the view. */
  add(sessionId: string, view: Pick<Kept, 'render' | 'next'>): string {
    const now = this.#clock.now().getTime()
    for (const [id, { endsAt }] of this.#views) if (endsAt <= now) this.#views.delete(id)
    const own = [...this.#views].filter(([, kept]) => kept.sessionId === sessionId)
    if (own.length >= MAX_OF_SESSION) this.#views.delete(own[0]![0])
    else if (this.#views.size >= MAX_VIEWS) this.#views.delete(this.#views.keys().next().value!)
    const id = randomBytes(16).toString('base64url')
    this.#views.set(id, { sessionId, ...view, endsAt: now + KEPT_MS })
    return id
  }

  /** Returns the view once. Later, `render` is null. Returns null for another session, and for a view that has ended. */
  take(sessionId: string, id: string): Pick<Kept, 'render' | 'next'> | null {
    const kept = this.#views.get(id)
    if (kept === undefined || kept.sessionId !== sessionId || kept.endsAt <= this.#clock.now().getTime()) return null
    const { render, next } = kept
    kept.render = null
    return { render, next }
  }
}
