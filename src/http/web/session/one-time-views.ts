import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { openText, sealText } from '../../../core/sealed.ts'
import type { SignedInProps } from '../../../pages/layout.tsx'
import type { Login } from '../../routing/context.ts'

/** A browser follows the redirect to the view at once. */
const KEPT_MS = 60_000
const MAX_OF_SESSION = 10
const MAX_VIEWS = 10_000

export type OneTimeView = (page: SignedInProps) => string

/**
 * Views with a new secret, each shown once, to the session that created the secret. After a form, the browser is redirected to such
 * a view, so reloading the view creates no second secret.
 */
export interface OneTimeViews {
  /** Returns the ID under which the session finds the view. `page` returns the props of the view. */
  add(login: ViewLogin, view: { render: OneTimeView; next: string }, page: () => SignedInProps): Promise<string>
  /** Returns the HTML of the view once, and null after that. Returns null for another session, and for a view that has expired. */
  take(login: ViewLogin, id: string, page: () => SignedInProps): Promise<{ html: string | null; next: string } | null>
}

export type ViewLogin = Pick<Login, 'token' | 'session'>

interface Kept {
  sessionId: string
  /** Null after the view was shown. */
  render: OneTimeView | null
  /** Where the user goes who opens the address again. */
  next: string
  endsAt: number
}

/** Keeps the views in the memory of this process. After a restart, the secret is lost, and the user has to create another one. */
export class ViewsInMemory implements OneTimeViews {
  /** In the order in which they end. */
  readonly #views = new Map<string, Kept>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async add({ session }: ViewLogin, view: Pick<Kept, 'next'> & { render: OneTimeView }): Promise<string> {
    const now = this.#clock.now().getTime()
    for (const [id, { endsAt }] of this.#views) if (endsAt <= now) this.#views.delete(id)
    const own = [...this.#views].filter(([, kept]) => kept.sessionId === session.id)
    if (own.length >= MAX_OF_SESSION) this.#views.delete(own[0]![0])
    else if (this.#views.size >= MAX_VIEWS) this.#views.delete(this.#views.keys().next().value!)
    const id = newViewId()
    this.#views.set(id, { sessionId: session.id, ...view, endsAt: now + KEPT_MS })
    return id
  }

  async take({ session }: ViewLogin, id: string, page: () => SignedInProps): ReturnType<OneTimeViews['take']> {
    const kept = this.#views.get(id)
    if (kept === undefined || kept.sessionId !== session.id || kept.endsAt <= this.#clock.now().getTime()) return null
    const { render, next } = kept
    kept.render = null
    return { html: render && render(page()), next }
  }
}

/** Where all processes of an instance keep the views. */
export interface KeptViews {
  /** Keeps a text for a session, and forgets the oldest ones of a session that has many. */
  put(kept: { id: string; sessionId: string; text: string; next: string; ms: number }): Promise<void>
  /** Returns the text once, and null after that. Returns null for another session and after the text has expired. */
  take(id: string, sessionId: string): Promise<{ text: string | null; next: string } | null>
}

/** Any process can show the view. The view is encrypted with the token of the session, which only the browser has. */
export class SharedViews implements OneTimeViews {
  readonly #kept: KeptViews

  constructor(kept: KeptViews) {
    this.#kept = kept
  }

  async add(
    { token, session }: ViewLogin,
    { render, next }: { render: OneTimeView; next: string },
    page: () => SignedInProps,
  ): Promise<string> {
    const id = newViewId()
    const text = sealText(render(page()), keyOf(token), id)
    await this.#kept.put({ id, sessionId: session.id, text, next, ms: KEPT_MS })
    return id
  }

  async take({ token, session }: ViewLogin, id: string): ReturnType<OneTimeViews['take']> {
    const kept = await this.#kept.take(id, session.id)
    if (kept === null) return null
    return { html: kept.text === null ? null : openText(kept.text, keyOf(token), id), next: kept.next }
  }
}

function newViewId(): string {
  return randomBytes(16).toString('base64url')
}

function keyOf(token: string): Buffer {
  return createHmac('sha256', token).update('docsearch shown once').digest()
}
