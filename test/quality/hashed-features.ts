import { type CopiedPackage, copyPackage } from '../support/copied-package.ts'

/**
 * Copies the built package and removes the vectors of all words, so that its built-in embedder has hashed features only. The list of the
 * model's words stays, because other parts of a search read it, such as the correction of misspelled words.
 */
export async function copyWithoutWordVectors(): Promise<CopiedPackage> {
  const copy = await copyPackage()
  await copy.change('dist/embed/model/word-vectors.js', /\(words\.get\(word\) \?\? UNKNOWN\)/, () => 'UNKNOWN')
  return copy
}
