import { type Judge, JudgeError } from './judge.ts'

const QUESTION = 'What is the capital of France?'
const GOOD = 'Paris is the capital of France and its largest city.'
const BAD = 'To keep bread fresh, wrap it in a cloth and put it in a dry box.'
/** Rerankers keep such a pair much further apart; chance and chat models do not keep it even so far. */
const LEAST_GAP = 0.1

/** Throws JudgeError `reranker_unsuitable` for a model that cannot tell a plain answer from a text about something else. */
export async function selfTest(judge: Judge, signal: AbortSignal): Promise<void> {
  const scores: (number | undefined)[] = [undefined, undefined]
  // The bad one first: a server that answers in the order it was given does not pass by luck.
  await judge.judge(QUESTION, [BAD, GOOD], signal, (index, score) => (scores[index] = score))
  const [bad, good] = scores
  if (bad !== undefined && good !== undefined && good - bad >= LEAST_GAP) return
  const shown = (score: number | undefined) => score?.toFixed(2) ?? 'nothing'
  throw new JudgeError(
    'reranker_unsuitable',
    `${judge.name} cannot tell a plain answer (${shown(good)}) from a text about something else (${shown(bad)}), so it is not used.`,
  )
}
