import { createHash } from 'node:crypto'

/** How a secret of full entropy (key, token, code) is stored: SHA-256 in hex. A fast hash is right here: there is nothing to guess. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
