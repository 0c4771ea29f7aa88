import type { ProjectIds } from './projects.ts'

/**
 * Words that the vocabulary of a project can have. A full vocabulary takes in no further words until documents are deleted. Words that
 * it has stay, because nobody can tell which of them later documents need, and a word that was counted once must be there to be
 * subtracted.
 */
export const MAX_VOCABULARY_WORDS = 250_000

/** The maximum number of rows that one call of `wordsFrom` reads. */
export const MAX_WORDS_READ = 4_000

/**
 * The words of each project's searchable documents, for correcting words in queries. The transaction that makes a document ready,
 * failed or deleted updates them. A query is only compared with words of the projects that it searches. Words have 3 to 40 letters.
 * Numbers, parts of text without spaces, and words beyond `MAX_VOCABULARY_WORDS` are not in it.
 */
export interface Vocabulary {
  /**
   * Returns the next words, in lower case, that begin with a letter: all when `after` is empty, or those after the `next` of an earlier
   * answer. It reads at most `MAX_WORDS_READ` rows. `next` is null when no words are left. A word of several projects is returned several
   * times.
   */
  wordsFrom(projects: ProjectIds, initial: string, after: string): Promise<{ words: string[]; next: string | null }>
  /** Looks words up. Returns one entry for each term of a word that the projects have, with the number of documents. */
  entries(projects: ProjectIds, words: readonly string[]): Promise<{ word: string; term: string; documents: number }[]>
}
