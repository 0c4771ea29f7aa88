import { cutToTokens } from '../text/model-tokens.ts'
import { withoutControlTokens } from './control-tokens.ts'
import type { RerankCandidate } from './reranker.ts'

/** A question may have 4,000 characters; with instruction and passage it has to fit the context. */
const QUESTION_TOKENS = 1024

/** A passage as a model reads it: where it stands, then its text, of at most so many tokens, nothing in it that speaks to the model's machinery. */
export function passageText({ title, heading, text }: RerankCandidate, maxTokens: number): string {
  const place = [title, heading].filter(Boolean).join(' › ')
  return cutToTokens(withoutControlTokens(place === '' ? text : `${place}\n${text}`), maxTokens)
}

export function questionText(query: string): string {
  return cutToTokens(withoutControlTokens(query), QUESTION_TOKENS)
}
