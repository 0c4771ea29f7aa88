import { randomBytes } from 'node:crypto'
import { DocsearchError } from '../core/errors.ts'
import type { LinkPurpose } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import type { AccountsOptions, OneTimeLinks } from './accounts.ts'
import { checkNewPassword } from './password-rules.ts'

const HOUR_MS = 60 * 60 * 1000
const LINK_LIFE_MS: Record<LinkPurpose, number> = { setup: HOUR_MS / 2, invitation: 7 * 24 * HOUR_MS, reset: 24 * HOUR_MS }

/** Links with which a user sets a password without knowing an old one. */
export function createOneTimeLinks({ records, clock, passwords }: AccountsOptions): OneTimeLinks {
  const { users, links } = records

  async function findLink(token: string): ReturnType<OneTimeLinks['findLink']> {
    const link = await links.find(hashSecret(token))
    const user = link && (await users.get(link.userId))
    return link && user ? { user, purpose: link.purpose } : null
  }

  return {
    async issueLink(userId, purpose) {
      const token = newToken()
      const expiresAt = new Date(clock.now().getTime() + LINK_LIFE_MS[purpose])
      await links.revokeAll(userId)
      await links.create({ userId, purpose, sha256: hashSecret(token), expiresAt })
      return { token, expiresAt }
    },
    findLink,
    async useLink(token, { password, email, name }) {
      const found = await findLink(token)
      if (found === null) return null
      const { user } = found
      const changed = { email: email ?? user.email, name: name ?? user.name }
      if (changed.email === null)
        throw new DocsearchError('email_required', 'You need an email address to log in with. Enter yours.')
      checkNewPassword(password, changed)
      return links.claim(hashSecret(token), {
        passwordHash: await passwords.hash(password),
        ...(email === undefined ? {} : { email }),
        ...(name === undefined ? {} : { name }),
      })
    },
  }
}

/** Returns 256 random bits, for a link or a cookie. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}
