import { languageTag } from '../text/language-tag.ts'

/** Returns the value of `lang` for a text that is not in English, the language of the views. Screen readers and fonts need it. */
export function foreignLanguage(text: string): string | undefined {
  const tag = languageTag(text)
  return tag === null || tag === 'en' ? undefined : tag
}
