import { type RerankModel, RerankModelError } from './rerank-model.ts'

const QUESTION = 'What is the capital of France?'
const ANSWER = 'Paris is the capital of France and its largest city.'
const OTHER = 'To keep bread fresh, wrap it in a cloth and put it in a dry box.'
/** Rerankers score such a pair much further apart. Chance and chat models don't reach even this gap. */
const MIN_GAP = 0.1

const NO_USER = ''

/** Throws RerankModelError `reranker_unsuitable` for a model that can't tell a plain answer from a text about something else. */
export async function selfTest(model: RerankModel, signal: AbortSignal): Promise<void> {
  const scores: (number | undefined)[] = [undefined, undefined]
  // The wrong text comes first, so that a server which keeps the given order does not pass by luck.
  const request = { question: QUESTION, passages: [OTHER, ANSWER], user: NO_USER, signal }
  await model.scorePassages(request, (index, score) => (scores[index] = score))
  const [other, answer] = scores
  if (other !== undefined && answer !== undefined && answer - other >= MIN_GAP) return
  const shown = (score: number | undefined) => score?.toFixed(2) ?? 'no score'
  throw new RerankModelError(
    'reranker_unsuitable',
    `${model.name} cannot tell a plain answer (${shown(answer)}) from a text about something else (${shown(other)}), so it is not used.`,
  )
}
