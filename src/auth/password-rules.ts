import { DocsearchError } from '../core/errors.ts'
import { PASSWORD_LENGTH } from '../core/model.ts'
import { COMMON_WORDS } from './common-words.ts'
import { normalise } from './passwords.ts'

const { min: MIN_LENGTH, max: MAX_LENGTH } = PASSWORD_LENGTH
const MAX_DECORATION = 10

/** Characters in an order that everyone knows: rows of keys, the alphabet, digits. */
const RUNS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
]
const RUNS_BOTH_WAYS = RUNS.flatMap((run) => [run, [...run].toReversed().join('')])

/** Refuses passwords that attackers try first. Throws DocsearchError `password_too_short`, `password_too_long` or `password_too_common`. */
export function checkNewPassword(password: string, user: { email: string | null; name: string }): void {
  const text = normalise(password)
  const length = [...text].length
  if (length < MIN_LENGTH)
    throw new DocsearchError(
      'password_too_short',
      `A password needs at least ${MIN_LENGTH} characters. A few unrelated words make a good one.`,
    )
  if (length > MAX_LENGTH)
    throw new DocsearchError('password_too_long', `A password can have at most ${MAX_LENGTH.toLocaleString('en')} characters.`)
  if (isCommon(text.toLowerCase(), user))
    throw new DocsearchError(
      'password_too_common',
      'This password is too common, or is your own name or email address. Choose another one.',
    )
}

function isCommon(text: string, { email, name }: { email: string | null; name: string }): boolean {
  if (/^(.{1,4})\1+.{0,3}$/su.test(text)) return true
  const stripped = withoutDecoration(text)
  // A word with many random digits is a good password.
  const plain = text.length - stripped.length <= MAX_DECORATION ? stripped : text
  if (RUNS_BOTH_WAYS.some((run) => run.includes(text) || (plain.length > 2 && run.includes(plain)))) return true
  const own = [email, email?.split('@')[0], name, name.replaceAll(/\s/gu, '')].flatMap((part) =>
    part ? [normalise(part).toLowerCase()] : [],
  )
  return [text, plain, unleet(plain)].some((form) => COMMON_WORDS.has(form) || own.includes(form))
}

/** Removes what people put around a common word: a year, a number or an exclamation mark makes it no better. */
function withoutDecoration(text: string): string {
  return text.replace(/^[\d\p{P}\p{S}\s]+/u, '').replace(/[\d\p{P}\p{S}\s]+$/u, '')
}

/** Replaces digits and signs by the letters they look like. */
function unleet(text: string): string {
  const letters: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's' }
  return text.replaceAll(/[013457@$]/g, (character) => letters[character] ?? character)
}
