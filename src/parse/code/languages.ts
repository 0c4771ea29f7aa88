import { extname } from 'node:path'
import { LANGUAGE_EXTENSIONS } from '../../core/formats.ts'
import { C_FAMILY } from './c-family.ts'
import type { Language } from './language.ts'
import { OTHER_LANGUAGES } from './other-languages.ts'

/** The languages of source code and of configuration files. */
export const LANGUAGES: readonly Language[] = [...C_FAMILY, ...OTHER_LANGUAGES]

const BY_EXTENSION = new Map(
  LANGUAGES.flatMap((language) =>
    LANGUAGE_EXTENSIONS[language.name].map((extension): [string, Language] => [extension, language]),
  ),
)
const BY_NAME = new Map(LANGUAGES.flatMap((language) => (language.fileNames ?? []).map((name) => [name, language] as const)))
const SHEBANG = /^\uFEFF?#![^\n]{1,200}/

/** Returns the language of a file by its name, else by the interpreter in its first line; null if neither says it. */
export function languageOf(name: string, start: string): Language | null {
  const lower = name.toLowerCase()
  const byName = BY_NAME.get(lower) ?? BY_EXTENSION.get(extname(lower))
  return byName ?? interpreted(start)
}

/** Returns whether the name of a file without an extension says that it is source code. */
export function isCodeName(name: string): boolean {
  return BY_NAME.has(name.toLowerCase())
}

/** True for a text whose first line names a known interpreter. */
export function beginsAsScript(start: string): boolean {
  return interpreted(start) !== null
}

function interpreted(start: string): Language | null {
  const line = SHEBANG.exec(start)?.[0]
  if (line === undefined) return null
  return LANGUAGES.find(({ interpreter }) => interpreter?.test(line)) ?? null
}
