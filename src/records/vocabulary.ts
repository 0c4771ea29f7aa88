/**
 * Words that an owner's vocabulary can have. A full vocabulary takes in no further words until documents are deleted. Words that
 * it has stay, because nobody can tell which of them later documents need, and a word that was counted once must be there to be
 * subtracted.
 */
export const MAX_VOCABULARY_WORDS = 250_000

/** The maximum number of rows that one call of `wordsFrom` reads. */
export const MAX_WORDS_READ = 4_000

/**
 * The words of each owner's searchable documents, for correcting words in queries. The transaction that makes a document ready,
 * failed or deleted updates them. A query is only compared with words of its own user's documents. Words have 3 to 40 letters.
 * Numbers, parts of text without spaces, and words beyond `MAX_VOCABULARY_WORDS` are not in it.
 */
export interface Vocabulary {
  /**
   * Returns the next words, in lower case, that begin with a letter: those after `after`, or all when `after` is empty. It reads at most
   * `MAX_WORDS_READ` rows. `next` is the word to continue after, or null when no words are left.
   */
  wordsFrom(ownerId: string, initial: string, after: string): Promise<{ words: string[]; next: string | null }>
  /** Looks words up. Returns one entry for each term of a word that the vocabulary has, with the number of documents. */
  entries(ownerId: string, words: readonly string[]): Promise<{ word: string; term: string; documents: number }[]>
}
