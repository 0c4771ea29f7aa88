import type { SearchFilter } from '../core/search-filter.ts'
import type { MessageQuery, Messages } from '../records/records.ts'
import type { MessageOperators, ParsedQuery } from './parse.ts'
import type { SearchQuery } from './search.ts'

export type MessagePages = Pick<SearchFilter, 'messagePages' | 'withoutMessagePages'>

/** Finds the pages with the messages that a search may find, or must not find. A search without conditions about messages asks nothing. */
export async function findMessagePages(
  { messages: wanted, projectIds }: Pick<SearchQuery, 'messages' | 'projectIds'>,
  { messages: operators = {} }: Pick<ParsedQuery, 'messages'>,
  records: Pick<Messages, 'find'>,
): Promise<MessagePages> {
  const projects = new Set(projectIds)
  const query = joined(wanted, operators)
  const excluded: MessageQuery[] = [
    ...(operators.withoutFrom ?? []).map((part) => ({ from: [part] })),
    ...(operators.withoutTo ?? []).map((part) => ({ to: [part] })),
    ...(operators.withoutSubject ?? []).map((part) => ({ subject: [part] })),
  ]
  const without = []
  for (const each of excluded) without.push(...(await records.find(projects, each)))
  return {
    ...(query !== null && { messagePages: await records.find(projects, query) }),
    ...(excluded.length > 0 && { withoutMessagePages: without }),
  }
}

/** Returns all conditions that a message has to match; null if there are none. */
function joined(wanted: MessageQuery | undefined, operators: MessageOperators): MessageQuery | null {
  const { from = [], to = [], subject = [], after = [], before = [] } = operators
  if (wanted === undefined && [from, to, subject, after, before].every((values) => values.length === 0)) return null
  const afters = [wanted?.sentAfter, ...after.map(startOf)].filter((date) => date !== undefined)
  const befores = [wanted?.sentBefore, ...before.map(startOf)].filter((date) => date !== undefined)
  return {
    from: [...(wanted?.from ?? []), ...from],
    to: [...(wanted?.to ?? []), ...to],
    subject: [...(wanted?.subject ?? []), ...subject],
    ...(afters.length > 0 && { sentAfter: new Date(Math.max(...afters.map(Number))) }),
    ...(befores.length > 0 && { sentBefore: new Date(Math.min(...befores.map(Number))) }),
  }
}

/** Returns the beginning of a day, a month or a year, in UTC. */
function startOf(date: string): Date {
  return new Date(`${date.padEnd(10, '-01-01'.slice(date.length - 4))}T00:00:00Z`)
}
