import { formatHeading } from '../core/chunk.ts'
import { MAX_TITLE_CHARS, shorten } from '../core/text-limits.ts'
import { analyse, type Token } from './analyse.ts'
import { shownLanguage } from './language.ts'
import { hiddenWords } from './name-words.ts'
import type { IndexedPassage, StoredPassage } from '../core/passage.ts'
import { hash } from 'node:crypto'

/** The texts of a passage whose words are searched. */
export type SearchedTexts = Pick<IndexedPassage, 'title' | 'heading' | 'context' | 'text'>

/** Returns the passage together with the texts that name its subject: the document's title, the headings above, and the header of its table. */
export function searchedText({ title, heading, context, text }: SearchedTexts): { title: string; text: string } {
  return {
    text: context === '' ? text : `${context}\n${text}`,
    title: formatHeading(heading === '' ? [title] : [title, heading]),
  }
}

/** Returns the terms of a passage as the index stores them, and their tokens. The same texts always give the same terms. */
export function passageTerms(
  passage: SearchedTexts,
): Pick<IndexedPassage, 'terms' | 'titleTerms' | 'headingTerms' | 'language'> & { tokens: readonly Token[] } {
  const { title, text } = searchedText(passage)
  // The built-in embedder analyses the same string next, and `analyse` remembers its last result.
  const tokens = analyse(`${title}\n${text}`)
  const titleTerms = countBefore(tokens, passage.title.length)
  return {
    terms: tokens.map((token) => token.term).join(' '),
    titleTerms,
    headingTerms: countBefore(tokens, title.length) - titleTerms,
    language: shownLanguage(tokens),
    tokens,
  }
}

/**
 * Returns the terms of a document's name as the index stores them, each once, separated by spaces. A document without a title of its own has its
 * name as the title; then the name only adds what the title lacks.
 */
export function nameTerms({ name, title }: { name: string; title: string }): string {
  const terms = termsOf(`${name} ${hiddenWords(name).join(' ')}`)
  const inTitle = new Set(title === shorten(name, MAX_TITLE_CHARS) ? termsOf(title) : [])
  return [...new Set(terms)].filter((term) => !inTitle.has(term)).join(' ')
}

function termsOf(text: string): string[] {
  return analyse(text).map(({ term }) => term)
}

/** Analyses a passage again that was stored without its terms. */
export function withTerms(passage: StoredPassage): IndexedPassage {
  const { tokens: _, ...terms } = passageTerms(passage)
  return { ...passage, ...terms, nameTerms: nameTerms(passage) }
}

/** Returns how many tokens start before a position in the text. */
function countBefore(tokens: readonly Token[], place: number): number {
  const first = tokens.findIndex(({ start }) => start >= place)
  return first < 0 ? tokens.length : first
}

/** White space that is not one space already: replacing only this takes half of the time. */
const OTHER_SPACE = /[^\S ]\s*| \s+/g

/** Returns 131 bits of a hash of a passage's text. Equal for texts that differ only in white space. */
export function hashText(text: string): string {
  return hash('sha256', text.replace(OTHER_SPACE, ' '), 'base64url').slice(0, 22)
}
