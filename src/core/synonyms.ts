/** Words or phrases for the same thing. */
export interface SynonymRule {
  words: readonly string[]
  /** What a question with one of `words` finds in addition. Null: each of `words` finds the others. */
  expandsTo: readonly string[] | null
}

/**
 * Reads a line in the format of Solr and Elasticsearch: `capex, capital expenditure`, or `capex => capital expenditure` for one direction.
 * Returns null for an empty line and a comment. Returns a message when the line is no rule.
 */
export function readSynonymLine(line: string): SynonymRule | { fault: string } | null {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return null
  const [left = '', right, ...more] = text.split('=>')
  if (more.length > 0) return { fault: 'It has more than one "=>". Write one rule in each line.' }
  const words = phrasesOf(left)
  if (right === undefined) {
    if (words.length < 2)
      return { fault: 'It has only one word or phrase. Separate synonyms by commas, or write "word => other word".' }
    return { words, expandsTo: null }
  }
  const expandsTo = phrasesOf(right)
  if (words.length === 0 || expandsTo.length === 0) return { fault: 'Both sides of "=>" need a word or phrase.' }
  return { words, expandsTo }
}

function phrasesOf(list: string): string[] {
  return list.split(',').flatMap((phrase) => phrase.trim().replace(/\s+/g, ' ') || [])
}
