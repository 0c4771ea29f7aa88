/** Share of the longer words that get a typing error. */
const SHARE = 0.25
/** A longer word has four letters or more. */
const LONGER_WORD = /[\p{L}\p{M}]{4,}/gu
/** Other scripts are left out: in those without spaces a run of characters is no word, and nobody mistypes a letter of it. */
const LETTERS = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}]+$/u

/** Puts a wrong letter into a quarter of the longer words, never the first letter: changed, removed, added, or swapped with the next. The same for the same seed. */
export function mistype(text: string, seed: string): string {
  const random = randomFrom(seed)
  return text.replace(LONGER_WORD, (word) => (LETTERS.test(word) && random() < SHARE ? slip(word, random) : word))
}

function slip(word: string, random: () => number): string {
  const letters = [...word]
  const at = 1 + Math.floor(random() * (letters.length - 1))
  const other = letters[Math.floor(random() * letters.length)]!.toLowerCase()
  const kind = Math.floor(random() * 4)
  if (kind === 0 && letters[at] !== other) letters[at] = other
  else if (kind === 1) letters.splice(at, 1)
  else if (kind === 2 && at + 1 < letters.length && letters[at] !== letters[at + 1])
    letters.splice(at, 2, letters[at + 1]!, letters[at]!)
  else letters.splice(at, 0, other)
  return letters.join('')
}

/** Returns a generator of numbers from 0 to 1, the same for the same seed (mulberry32 over an FNV-1a hash). */
function randomFrom(seed: string): () => number {
  let state = 2166136261
  for (const character of seed) state = Math.imul(state ^ character.codePointAt(0)!, 16777619)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
