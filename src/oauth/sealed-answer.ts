import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { TokenAnswer } from './oauth.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a token answer under a key that derives from the refresh token it replaces, which the database does not have. */
export function sealAnswer(answer: TokenAnswer, refreshToken: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(refreshToken), nonce)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Returns the answer. Throws if it was sealed under another token or changed since. */
export function openAnswer(sealed: string, refreshToken: string): TokenAnswer {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(CIPHER, keyOf(refreshToken), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  return JSON.parse(text) as TokenAnswer
}

/** A token has 256 random bits, so it needs no salt and no slow hash. Its SHA-256, which is stored, does not give the key. */
function keyOf(refreshToken: string): Buffer {
  return Buffer.from(hkdfSync('sha256', refreshToken, '', 'docsearch refresh answer', 32))
}
