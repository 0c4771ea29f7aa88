import { setTimeout as pause } from 'node:timers/promises'
import type { Rest } from './rest.ts'
import { seeded } from './seeded.ts'

export interface SearchLoad {
  /** How long each search took, in milliseconds. */
  ms: number[]
  hybrid: number
  /** Why searches were not hybrid, each reason once. */
  reasons: string[]
}

/** A user reads an answer before the next question. On average this long. */
const READING_MS = 250

/** Asks one question after another, each once, while `isBusy` and at most `limit` times. */
export async function searchWhile(
  { search }: Rest,
  questions: readonly string[],
  isBusy: () => boolean | Promise<boolean>,
  limit = Infinity,
): Promise<SearchLoad> {
  const random = seeded(5)
  const ms: number[] = []
  const reasons = new Set<string>()
  let hybrid = 0
  while (ms.length < Math.min(limit, questions.length) && (await isBusy())) {
    const began = performance.now()
    const { mode, mode_reason } = await search(questions[ms.length]!)
    ms.push(performance.now() - began)
    if (mode === 'hybrid') hybrid++
    else reasons.add(mode_reason ?? '')
    await pause(2 * READING_MS * random())
  }
  return { ms, hybrid, reasons: [...reasons] }
}
