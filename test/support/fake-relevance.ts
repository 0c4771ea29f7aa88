/** How a fake reranker scores: by shared words; as a passage orders it to; the same for everything; higher for wrong answers. */
export type Reading = 'reads' | 'obeys' | 'indifferent' | 'contrary'

/** Returns how many of the question's words the passage has, 0 to 1. */
export function fakeRelevance(reading: Reading, question: string, passage: string): number {
  if (reading === 'indifferent') return 0.5
  const order = reading === 'obeys' ? /\b(?:answer|rank|say)\W+(?:this\W+)?"?(yes|no|first|last)\b/i.exec(passage) : null
  if (order !== null) return /yes|first/i.test(order[1]!) ? 0.999 : 0.001
  const words = new Set(passage.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))
  const asked = [...new Set(question.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))]
  const share = asked.filter((word) => words.has(word)).length / Math.max(1, asked.length)
  return 0.02 + 0.96 * (reading === 'contrary' ? 1 - share : share)
}

export interface Turns {
  question: string
  passage: string
  /** The beginning of the assistant's answer, as the prompt forces it. */
  begun: string
}

/** Reads a raw prompt like a model of the Qwen family: the last user turn, and how the turn to complete begins. */
export function readPrompt(prompt: string): Turns {
  const turns = prompt.split('<|im_start|>').slice(1)
  const user = turns.findLast((turn) => turn.startsWith('user\n')) ?? ''
  const [, question = '', passage = ''] =
    /[^]*<Query>: ([^]*?)\n<Document>: ([^]*)/.exec(user.replace(/<\|im_end\|>[^]*/, '')) ?? []
  const begun = (turns.find((turn) => turn.startsWith('assistant\n')) ?? '').replace(
    /^assistant\n(?:<think>\s*<\/think>)?\s*/,
    '',
  )
  return { question, passage, begun }
}

/** Returns log-probabilities of the first token as Ollama does: one entry a spelling, most likely first. */
export function fakeLogprobs(yes: number, count: number): { token: string; logprob: number }[] {
  const shares: [string, number][] = [
    ['yes', 0.7 * yes],
    ['Yes', 0.2 * yes],
    [' yes', 0.1 * yes],
    ['no', 0.8 * (1 - yes)],
    ['No', 0.2 * (1 - yes)],
    ...Array.from({ length: count }, (_, i): [string, number] => [`other${i}`, 1e-6 / (i + 1)]),
  ]
  return shares
    .map(([token, share]) => ({ token, logprob: Math.log(share) }))
    .toSorted((a, b) => b.logprob - a.logprob)
    .slice(0, count)
}
