import type { z } from 'zod'
import { type Fault, invalid } from './problems.ts'

/** Parses what came from outside; throws 400 with every fault. */
export function validate<S extends z.ZodType>(schema: S, input: unknown, prefix = ''): z.output<S> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw invalid(
    result.error.issues
      .flatMap((issue) => faultsOf(issue, input))
      .map(({ path, message }) => ({ path: [prefix, path].filter((part) => part !== '').join('.'), message })),
  )
}

function faultsOf(issue: z.core.$ZodIssue, input: unknown): Fault[] {
  const path = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...issue.path, key].join('.'), message: 'is not a field of this request' }))
  }
  if (issue.code === 'invalid_union') {
    const messages = new Set(issue.errors.flat().map((inner) => words(inner, input)))
    return [{ path, message: messages.size === 0 ? issue.message : [...messages].join(' or ') }]
  }
  return [{ path, message: words(issue, input) }]
}

/** A limit is said with what was sent, so that nobody has to count. */
function words(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === 'too_big' && (issue.origin === 'string' || issue.origin === 'array')) {
    const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input)
    const unit = issue.origin === 'string' ? 'characters' : 'entries'
    const length = typeof value === 'string' || Array.isArray(value) ? value.length : null
    if (length !== null) return `has ${length} ${unit}, the limit is ${issue.maximum}`
  }
  if (issue.code === 'invalid_type' && issue.input === undefined && /received undefined/.test(issue.message)) return 'is required'
  return lowerFirst(issue.message)
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
