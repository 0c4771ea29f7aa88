/**
 * Words that an owner's vocabulary can have. A full vocabulary takes in no further words until documents are deleted. Words that
 * it has stay, because nobody can tell which of them later documents need, and a word that was counted once must be there to be
 * subtracted.
 */
export const MAX_VOCABULARY_WORDS = 250_000

/**
 * The words of each owner's searchable documents, for correcting words in queries. The transaction that makes a document ready,
 * failed or deleted updates them. A query is only compared with words of its own user's documents. Words have 3 to 40 letters.
 * Numbers, parts of text without spaces, and words beyond `MAX_VOCABULARY_WORDS` are not in it.
 */
export interface Vocabulary {
  /**
   * Returns the number of passages, and for each term the number of passages that have it. A term that no word has is missing
   * from the map, which does not mean that no passage has it.
   */
  frequencies(ownerId: string, terms: readonly string[]): Promise<{ passages: number; frequency: Map<string, number> }>
  /** Returns the words, in lower case, that begin with a letter and have `minLength` to `maxLength` letters. */
  wordsLike(ownerId: string, shape: { initial: string; minLength: number; maxLength: number }): Promise<string[]>
  /** Looks words up. Returns one entry for each term of a word that the vocabulary has, with the number of documents. */
  entries(ownerId: string, words: readonly string[]): Promise<{ word: string; term: string; documents: number }[]>
}
