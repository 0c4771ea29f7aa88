import type { TokenLogprob } from '../ollama/client.ts'
import { JudgeError } from './judge.ts'

const TASK = 'Given a web search query, retrieve relevant passages that answer the query'

/** The input format that Qwen3-Reranker was trained on, its thinking left empty. Neither text may hold control tokens. */
export function judgePrompt(question: string, passage: string): string {
  return (
    '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. ' +
    'Note that the answer can only be "yes" or "no".<|im_end|>\n' +
    `<|im_start|>user\n<Instruct>: ${TASK}\n<Query>: ${question}\n<Document>: ${passage}<|im_end|>\n` +
    '<|im_start|>assistant\n<think>\n\n</think>\n\n'
  )
}

/** Rounding may bring a certain token a little above zero. */
const MOST_LOGPROB = 1e-3

/**
 * The share of "yes" against "no", 0 to 1, from the tokens that could have come first; `Yes`, ` yes` and their like count together. One that is not among them
 * was less likely than any that is. Null when neither is. Throws JudgeError for what are no log-probabilities.
 */
export function shareOfYes(tokens: readonly TokenLogprob[]): number | null {
  let yes = 0
  let no = 0
  let least = 0
  for (const { token, logprob } of tokens) {
    if (!Number.isFinite(logprob) || logprob > MOST_LOGPROB)
      throw new JudgeError('reranker_unsuitable', `it gives ${logprob} as a log-probability`)
    least = Math.min(least, logprob)
    // Blanks before a word are part of its token; some tokenizers write them as one of these signs.
    const word = token.replace(/^[\s▁Ġ]+|\s+$/g, '').toLowerCase()
    if (word === 'yes') yes += Math.exp(logprob)
    else if (word === 'no') no += Math.exp(logprob)
  }
  if (yes === 0 && no === 0) return null
  yes ||= Math.exp(least)
  no ||= Math.exp(least)
  return yes / (yes + no)
}
