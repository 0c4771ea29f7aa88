import { hkdfSync } from 'node:crypto'
import { openText, sealText } from '../core/sealed-text.ts'
import type { TokenAnswer } from './oauth.ts'

/** Encrypts a token answer under a key that derives from the refresh token it replaces, which the database does not have. */
export function sealAnswer(answer: TokenAnswer, refreshToken: string): string {
  return sealText(JSON.stringify(answer), keyOf(refreshToken))
}

/** Returns the answer. Throws if it was sealed under another token or changed since. */
export function openAnswer(sealed: string, refreshToken: string): TokenAnswer {
  return JSON.parse(openText(sealed, keyOf(refreshToken))) as TokenAnswer
}

/** A token has 256 random bits, so it needs no salt and no slow hash. Its SHA-256, which is stored, does not give the key. */
function keyOf(refreshToken: string): Buffer {
  return Buffer.from(hkdfSync('sha256', refreshToken, '', 'docsearch refresh answer', 32))
}
