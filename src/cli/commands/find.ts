import { DocsearchError, type ErrorCode } from '../../core/errors.ts'
import { isIdSuffix } from '../../core/ids.ts'
import type { Context } from '../context.ts'
import { text } from '../options.ts'

interface Wanted<T> {
  /** What the user typed. */
  given: string
  /** What these things are called: `API keys`. */
  nouns: string
  /** For the message when nothing matches. */
  missing: { code: ErrorCode; message: string }
  /** Names a candidate when several match; by default by its ID. */
  describe?: (item: T) => string
  /** How else to name a single one; by default `Use an ID`. */
  advice?: string
}

const MAX_SHOWN = 5

/** Returns the only match. Throws DocsearchError `ambiguous_name` when there are several, and the error of `missing` when there is none. */
export function onlyMatch<T extends { id: string }>(matches: readonly T[], wanted: Wanted<T>): T {
  const [match, ...others] = matches
  const { given, nouns, missing, describe = ({ id }) => id, advice = 'Use an ID' } = wanted
  if (match === undefined) throw new DocsearchError(missing.code, missing.message)
  if (others.length === 0) return match
  const shown = matches.slice(0, MAX_SHOWN).map(describe).join(', ')
  const more = matches.length > MAX_SHOWN ? `, and ${matches.length - MAX_SHOWN} more` : ''
  throw new DocsearchError(
    'ambiguous_name',
    `${matches.length} ${nouns} match ${JSON.stringify(given)}. ${advice}: ${shown}${more}.`,
  )
}

/** Returns the items with this ID, the end of it or this name. Names go before ends of IDs. */
export function matching<T extends { id: string; name: string }>(items: readonly T[], given: string): T[] {
  const named = items.filter(({ id, name }) => id === given || name === given)
  return named.length > 0 ? named : items.filter(({ id }) => endsWith(id, given))
}

/** Returns whether an ID ends with what the user typed. */
export function endsWith(id: string, given: string): boolean {
  return isIdSuffix(given) && id.endsWith(given)
}

const PAGE_SIZE = 100

/** Every item of a list over all its result pages, or the first `limit`. */
export async function collectPages<T>(
  limit: number | undefined,
  fetchPage: (page: { limit: number; cursor?: string }) => Promise<{ items: T[]; next: string | null }>,
): Promise<T[]> {
  const items: T[] = []
  const wanted = limit ?? Infinity
  let cursor: string | null = null
  do {
    const page = await fetchPage({ limit: Math.min(PAGE_SIZE, wanted - items.length), ...(cursor === null ? {} : { cursor }) })
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== null && items.length < wanted)
  return items
}

export const projectOption = text('-p, --project <name>', 'Project (ID or name; default "default")')

/** Uploads without --project go to the same project. */
export async function projectOf(context: Context, named: string | undefined): Promise<string> {
  return named ?? (await context.target()).project ?? 'default'
}
