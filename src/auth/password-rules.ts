import { DocsearchError } from '../core/errors.ts'
import { PASSWORD_LENGTH } from '../core/model.ts'
import { COMMON_WORDS } from './common-words.ts'
import { normalise } from './passwords.ts'

const { least: SHORTEST, most: LONGEST } = PASSWORD_LENGTH
const LONGEST_DECORATION = 10

/** What one finger types along: rows of keys, the alphabet, digits. */
const RUNS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
]
const RUNS_BOTH_WAYS = RUNS.flatMap((run) => [run, [...run].toReversed().join('')])

/** Refuses what is guessed first. Throws DocsearchError `password_too_short`, `password_too_long`, `password_too_common`. */
export function checkNewPassword(password: string, person: { email: string | null; name: string }): void {
  const text = normalise(password)
  const length = [...text].length
  if (length < SHORTEST)
    throw new DocsearchError(
      'password_too_short',
      `A password needs at least ${SHORTEST} characters; a few words in a row are good.`,
    )
  if (length > LONGEST)
    throw new DocsearchError('password_too_long', `A password has at most ${LONGEST.toLocaleString('en')} characters.`)
  if (isCommon(text.toLowerCase(), person))
    throw new DocsearchError(
      'password_too_common',
      'This password is among those that are tried first, or is your own name or address. Choose another one.',
    )
}

function isCommon(text: string, { email, name }: { email: string | null; name: string }): boolean {
  if (/^(.{1,4})\1+.{0,3}$/su.test(text)) return true
  const stripped = withoutDecoration(text)
  // Many random digits beside a word are a password of their own.
  const plain = text.length - stripped.length <= LONGEST_DECORATION ? stripped : text
  if (RUNS_BOTH_WAYS.some((run) => run.includes(text) || (plain.length > 2 && run.includes(plain)))) return true
  const own = [email, email?.split('@')[0], name, name.replaceAll(/\s/gu, '')].flatMap((part) =>
    part ? [normalise(part).toLowerCase()] : [],
  )
  return [text, plain, unleet(plain)].some((form) => COMMON_WORDS.has(form) || own.includes(form))
}

/** A word everybody knows does not get better by a year, a number or an exclamation mark around it. */
function withoutDecoration(text: string): string {
  return text.replace(/^[\d\p{P}\p{S}\s]+/u, '').replace(/[\d\p{P}\p{S}\s]+$/u, '')
}

/** Nor by digits that look like letters. */
function unleet(text: string): string {
  const letters: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's' }
  return text.replaceAll(/[013457@$]/g, (character) => letters[character] ?? character)
}
