import { readFileSync } from 'node:fs'

interface ReferenceText {
  text: string
  /** The words that the reference takes apart. */
  words: string[]
  /** 384 numbers, scaled to -127 to 127, as base64. */
  vector: string
}

/** Texts with accents, symbols and several scripts, as the reference implementation of all-MiniLM-L6-v2 (Hugging Face) reads and embeds them. */
const TEXTS = JSON.parse(
  readFileSync(new URL('../fixtures/reference-all-minilm.json', import.meta.url), 'utf8'),
) as ReferenceText[]

/** Returns each text with its words. */
export function referenceTexts(): [text: string, words: string[]][] {
  return TEXTS.map(({ text, words }) => [text, words])
}

/** Returns each text with its vector, which does not have length 1. */
export function referenceVectors(): [text: string, vector: Int8Array][] {
  return TEXTS.map(({ text, vector }) => [text, new Int8Array(Buffer.from(vector, 'base64'))])
}
