import type { z } from 'zod'
import { countOf } from '../core/count-of.ts'
import { DocsearchError } from '../core/errors.ts'
import { shorten } from '../core/text-limits.ts'

/** One thing that is wrong with a request. */
export interface FieldFault {
  /** Where it is, with dots: `filter.tags.0`. Empty for the whole body. */
  path: string
  message: string
}

/** An answer lists at most this many faults, because a body of a megabyte can consist of unknown fields. */
const MAX_FAULTS = 20
/** Far above the number of fields and the depth of any valid request. */
const MAX_FIELDS = 100
const MAX_DEPTH = 4
const MAX_PATH_CHARS = 100
const MAX_MESSAGE_CHARS = 200

/** Returns a 400 with the first faults; its message names the first one. */
export function invalid(found: readonly FieldFault[]): DocsearchError {
  const faults = found.slice(0, MAX_FAULTS).map(({ path, message }): FieldFault => {
    return { path: shorten(path, MAX_PATH_CHARS), message: shorten(message, MAX_MESSAGE_CHARS) }
  })
  const [first] = faults
  const where = first === undefined || first.path === '' ? 'The body ' : `${first.path} `
  const others = faults.length < MAX_FAULTS ? `${faults.length - 1} more` : 'others'
  const more = faults.length > 1 ? ` (and ${others}, see errors)` : ''
  return new DocsearchError('invalid_request', `${where}${first?.message ?? 'is invalid'}${more}.`, {
    details: { errors: faults },
  })
}

/** Parses input from outside. Throws `invalid_request` with the faults. */
export function validate<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const { data, faults } = examine(schema, input)
  if (faults.length > 0) throw invalid(faults)
  return data as z.output<S>
}

/**
 * Like `validate`, for a caller that adds faults of its own. `data` is undefined if there are faults. Returns at most
 * `MAX_FAULTS` faults.
 */
export function examine<S extends z.ZodType>(schema: S, input: unknown): { data: z.output<S> | undefined; faults: FieldFault[] } {
  const crowded = crowdedObject(input)
  if (crowded !== null) return { data: undefined, faults: [crowded] }
  const result = schema.safeParse(input)
  const faults: FieldFault[] = []
  if (!result.success) {
    for (const issue of result.error.issues.slice(0, MAX_FAULTS)) faults.push(...faultsOf(issue, input))
    return { data: undefined, faults: faults.slice(0, MAX_FAULTS) }
  }
  addBrokenText(faults, result.data, [])
  return { data: faults.length === 0 ? result.data : undefined, faults }
}

/** Returns a fault for the first object with too many fields, because zod would list all of them in one message. */
function crowdedObject(input: unknown, path = '', depth = 0): FieldFault | null {
  if (input === null || typeof input !== 'object' || Array.isArray(input) || depth > MAX_DEPTH) return null
  const fields = Object.keys(input).length
  if (fields > MAX_FIELDS) return { path, message: `has ${fields} fields; the limit is ${MAX_FIELDS}` }
  for (const [key, inner] of Object.entries(input)) {
    const fault = crowdedObject(inner, path === '' ? key : `${path}.${key}`, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

function faultsOf(issue: z.core.$ZodIssue, input: unknown): FieldFault[] {
  const path = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_FAULTS)
      .map((key) => ({ path: [...issue.path, key].join('.'), message: 'is not a field of this request' }))
  }
  const sent = valueAt(input, issue.path)
  if (issue.code === 'invalid_union') {
    // The paths of an alternative are relative to the union.
    const alternatives = issue.errors.flatMap((errors) => errors.slice(0, MAX_FAULTS))
    const messages = new Set(alternatives.map((inner) => words(inner, valueAt(sent, inner.path))))
    return [{ path, message: messages.size === 0 ? lowerFirst(issue.message) : [...messages].join(' or ') }]
  }
  return [{ path, message: words(issue, sent) }]
}

/** Returns what is wrong, in words that follow the field's name. A limit comes with the value that was sent, so that users don't have to count. */
function words(issue: z.core.$ZodIssue, sent: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return sent === undefined ? 'is required' : `must be ${EXPECTED[issue.expected] ?? issue.expected}, not ${shown(sent)}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}, not ${shown(sent)}`
    case 'too_big':
      return `${size(issue.origin, sent)}; the limit is ${issue.maximum}`
    case 'too_small':
      return isEmpty(sent) ? 'must not be empty' : `${size(issue.origin, sent)}; the minimum is ${issue.minimum}`
    case 'invalid_format':
      if (issue.format === 'datetime') return `must be a time such as 2026-01-31T12:00:00Z, not ${shown(sent)}`
      return lowerFirst(issue.message)
    default:
      return lowerFirst(issue.message)
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/** Characters are code points, as in JSON Schema and zod. */
function size(origin: string, sent: unknown): string {
  if (origin === 'string') return `has ${countOf(lengthOf(String(sent)), 'character')}`
  return Array.isArray(sent) ? `has ${countOf(sent.length, 'entry', 'entries')}` : `is ${String(sent)}`
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

function isEmpty(sent: unknown): boolean {
  return (typeof sent === 'string' && sent.trim() === '') || (Array.isArray(sent) && sent.length === 0)
}

function shown(sent: unknown): string {
  if (sent === null) return 'null'
  if (Array.isArray(sent)) return 'a list'
  if (typeof sent === 'object') return 'an object'
  return typeof sent === 'string' && sent.length > 60 ? 'this text' : JSON.stringify(sent)
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], input)
}

/**
 * Adds a fault for each text that has half a surrogate pair. JSON can escape such a half, but UTF-8 can't encode it, so it would
 * come back from storage as another character. Pass only parsed data, because the schema limits its depth.
 */
function addBrokenText(faults: FieldFault[], data: unknown, path: readonly string[]): void {
  if (faults.length >= MAX_FAULTS) return
  if (typeof data === 'string') {
    if (!data.isWellFormed()) faults.push({ path: path.join('.'), message: 'is not well-formed Unicode: half a surrogate pair' })
  } else if (data !== null && typeof data === 'object' && !(data instanceof Date))
    for (const [key, inner] of Object.entries(data)) addBrokenText(faults, inner, [...path, key])
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
