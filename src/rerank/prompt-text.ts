import { cutToTokens } from '../text/model-tokens.ts'
import { withoutControlTokens } from './control-tokens.ts'
import type { RerankCandidate } from './reranker.ts'

/** A question may have 4,000 characters, but has to fit the model's context together with the instruction and a passage. */
const QUESTION_TOKENS = 1024

/** Returns a passage as a model reads it: title and heading, then its text, without control tokens and cut to `maxTokens`. */
export function passageText({ title, heading, text }: RerankCandidate, maxTokens: number): string {
  const place = [title, heading].filter(Boolean).join(' › ')
  return cutToTokens(withoutControlTokens(place === '' ? text : `${place}\n${text}`), maxTokens)
}

export function questionText(query: string): string {
  return cutToTokens(withoutControlTokens(query), QUESTION_TOKENS)
}
