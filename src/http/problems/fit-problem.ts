import type { Problem } from '../../contract/common.ts'
import { shorten } from '../../core/text-limits.ts'

/** The maximum size of an error answer. */
export const MAX_PROBLEM_BYTES = 4_000
/** In JSON, a character takes up to six bytes. */
const MAX_DETAIL_CHARS = 400

/**
 * Returns the problem within `MAX_PROBLEM_BYTES`, because a problem can repeat what the caller sent. Cuts or leaves out what
 * doesn't fit, the longest facts and the last `errors` first.
 */
export function fitProblem(problem: Problem): Problem {
  if (bytesOf(problem) <= MAX_PROBLEM_BYTES) return problem
  const { type, title, status, detail, code, request_id, errors, ...facts } = problem
  let fitting: Problem = { type, title, status, detail: shorten(detail, MAX_DETAIL_CHARS), code, request_id }
  const add = (more: Partial<Problem>): boolean => {
    const next = { ...fitting, ...more }
    const fits = bytesOf(next) <= MAX_PROBLEM_BYTES
    if (fits) fitting = next
    return fits
  }
  for (const name of Object.keys(facts).toSorted((a, b) => bytesOf(facts[a]) - bytesOf(facts[b]))) add({ [name]: facts[name] })
  if (errors !== undefined) for (let count = 1; count <= errors.length && add({ errors: errors.slice(0, count) }); count++);
  return fitting
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
