import { hash } from 'node:crypto'

/** A longer text names nothing that a question would contain. */
export const MAX_SYNONYM_CHARS = 100
/** How many words and phrases one rule may have, on both sides together. */
export const MAX_RULE_SYNONYMS = 50

/** Words or phrases for the same thing. */
export interface SynonymRule {
  words: readonly string[]
  /** What a question with one of `words` finds in addition. Null: each of `words` finds the others. */
  expandsTo: readonly string[] | null
}

/** A rule of a project. */
export interface SynonymRecord extends SynonymRule {
  id: string
  projectId: string
  createdAt: Date
}

/**
 * Reads a line in the format of Solr and Elasticsearch: `capex, capital expenditure`, or `capex => capital expenditure` for one direction.
 * A backslash before a character takes away its meaning: `Smith\, John`. Returns null for an empty line and a comment. Returns what is wrong
 * with any other line, in words that follow a name for the rule.
 */
export function readSynonymLine(line: string): SynonymRule | { fault: string } | null {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return null
  const [left = [], right, ...more] = splitSides(text)
  if (more.length > 0) return { fault: 'has more than one "=>"; write one rule in each line' }
  const rule = tidyRule({ words: left, expandsTo: right ?? null })
  const fault = faultOf(rule)
  return fault === null ? rule : { fault }
}

/** Returns the phrases on each side of each `=>`. */
function splitSides(text: string): string[][] {
  const sides = [['']]
  for (const [part] of text.matchAll(/\\.|=>|,|[^\\=,]+|./gsu)) {
    const side = sides.at(-1)!
    if (part === '=>') sides.push([''])
    else if (part === ',') side.push('')
    else side[side.length - 1] += part.length > 1 && part.startsWith('\\') ? part.slice(1) : part
  }
  return sides
}

/** Returns the rule as a line that `readSynonymLine` reads. */
export function formatSynonymRule({ words, expandsTo }: SynonymRule): string {
  const side = (phrases: readonly string[]) => phrases.map(escapePhrase).join(', ')
  const line = expandsTo === null ? side(words) : `${side(words)} => ${side(expandsTo)}`
  return line.replace(/^#/, '\\#')
}

function escapePhrase(phrase: string): string {
  return phrase.replace(/\\|,|=>/g, '\\$&')
}

/** Removes superfluous blanks, empty phrases, and phrases that differ from an earlier one only in letter case. */
export function tidyRule({ words, expandsTo }: SynonymRule): SynonymRule {
  return { words: tidy(words), expandsTo: expandsTo && tidy(expandsTo) }
}

function tidy(phrases: readonly string[]): string[] {
  const known = new Set<string>()
  return phrases
    .map((phrase) => phrase.trim().replace(/\s+/g, ' '))
    .filter((phrase) => phrase !== '' && !known.has(phrase.toLowerCase()) && known.add(phrase.toLowerCase()))
}

/** Returns what is wrong with a tidy rule, in words that follow a name for the rule. Returns null if nothing is. */
export function faultOf({ words, expandsTo }: SynonymRule): string | null {
  const all = [...words, ...(expandsTo ?? [])]
  const [first] = words
  if (first === undefined || expandsTo?.length === 0) return 'has no word or phrase on one side'
  if (all.length === 1) return 'has only one word or phrase; add another one that means the same'
  if (expandsTo !== null && all.every((phrase) => phrase.toLowerCase() === first.toLowerCase()))
    return 'has the same word or phrase on both sides; write another one on one side'
  if (all.length > MAX_RULE_SYNONYMS) return `has ${all.length} words and phrases; the limit is ${MAX_RULE_SYNONYMS}`
  return all.map(faultOfPhrase).find((fault) => fault !== null) ?? null
}

function faultOfPhrase(phrase: string): string | null {
  const { length } = [...phrase]
  if (length > MAX_SYNONYM_CHARS) return `has a word or phrase with ${length} characters; the limit is ${MAX_SYNONYM_CHARS}`
  if (/\p{Cc}/u.test(phrase)) return 'has a word or phrase with control characters; remove them'
  if (!/[\p{L}\p{N}]/u.test(phrase)) return `has a word or phrase without letters and digits: ${JSON.stringify(phrase)}`
  return null
}

/** Returns the number of words and phrases of a rule, for limits. */
export function countSynonyms({ words, expandsTo }: SynonymRule): number {
  return words.length + (expandsTo?.length ?? 0)
}

/** Returns the same text for rules with the same words in the same direction, whatever their order and letter case. */
export function synonymKey({ words, expandsTo }: SynonymRule): string {
  const side = (phrases: readonly string[]) => phrases.map((phrase) => phrase.toLowerCase()).toSorted()
  return hash('sha256', JSON.stringify([side(words), expandsTo && side(expandsTo)]), 'base64url')
}
