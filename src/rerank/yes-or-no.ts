import type { TokenLogprob } from '../ollama/client.ts'
import { RerankModelError } from './rerank-model.ts'

const TASK = 'Given a web search query, retrieve relevant passages that answer the query'

/** Returns the prompt that Qwen3-Reranker was trained on, with empty thinking. Neither text may hold control tokens. */
export function rerankPrompt(question: string, passage: string): string {
  return (
    '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. ' +
    'Note that the answer can only be "yes" or "no".<|im_end|>\n' +
    `<|im_start|>user\n<Instruct>: ${TASK}\n<Query>: ${question}\n<Document>: ${passage}<|im_end|>\n` +
    '<|im_start|>assistant\n<think>\n\n</think>\n\n'
  )
}

/** Rounding can bring the log-probability of a certain token a little above zero. */
const MAX_LOGPROB = 1e-3

/**
 * Returns the share of "yes" against "no", 0 to 1, from the likeliest first tokens. `Yes`, ` yes` and similar tokens count together.
 * A word that is not listed gets the probability of the least likely token that is. Null when neither word is listed. Throws
 * RerankModelError for numbers that are no log-probabilities.
 */
export function shareOfYes(tokens: readonly TokenLogprob[]): number | null {
  let yes = 0
  let no = 0
  let least = 0
  for (const { token, logprob } of tokens) {
    if (!Number.isFinite(logprob) || logprob > MAX_LOGPROB)
      throw new RerankModelError('reranker_unsuitable', `it returned ${logprob} as a log-probability`)
    least = Math.min(least, logprob)
    // The space before a word is part of its token; some tokenizers write it as ▁ or Ġ.
    const word = token.replace(/^[\s▁Ġ]+|\s+$/g, '').toLowerCase()
    if (word === 'yes') yes += Math.exp(logprob)
    else if (word === 'no') no += Math.exp(logprob)
  }
  if (yes === 0 && no === 0) return null
  yes ||= Math.exp(least)
  no ||= Math.exp(least)
  return yes / (yes + no)
}
