import type { Flash } from '../../../pages/layout.tsx'
import type { Ctx } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'
import { readCookie, writeCookie } from './cookies.ts'

/** The messages that a page can show after a redirect. The cookie has only the name, so nobody can make a page show another text. */
const MESSAGES = {
  profile_saved: 'Your profile was saved.',
  password_changed: 'Your password was changed. Other browsers were logged out.',
  session_ended: 'That browser was logged out.',
  sessions_ended: 'All other browsers were logged out.',
  key_revoked: 'The API key was revoked. It stops working at once.',
  disconnected: 'The application was disconnected. Its access has ended.',
  client_saved: 'The application was saved.',
  client_deleted: 'The application was deleted. Its access has ended.',
  user_disabled: 'The account was disabled. Its password, keys and connections no longer work.',
  user_enabled: 'The account was enabled.',
  user_deleted: 'The account was deleted, with its documents.',
} as const

export type FlashCode = keyof typeof MESSAGES

const SECONDS = 60

export function setFlash(ctx: Ctx, settings: HttpSettings, code: FlashCode): void {
  writeCookie(ctx, settings, 'flash', code, SECONDS)
}

/** Returns the waiting message, if there is one, and removes it. */
export function takeFlash(ctx: Ctx, settings: HttpSettings): Flash | null {
  const code = readCookie(ctx, settings, 'flash')
  if (code === undefined) return null
  writeCookie(ctx, settings, 'flash', '', 0)
  return Object.hasOwn(MESSAGES, code) ? { tone: 'success', text: MESSAGES[code as FlashCode] } : null
}
