import { hash } from 'node:crypto'

/** Returns the SHA-256 of a key, token or code in hex, as it is stored. A fast hash is enough, because random secrets can't be guessed. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}
