import type { SearchFilter } from '../core/search-filter.ts'
import type { MessageQuery, Messages } from '../records/records.ts'
import type { Measurement } from './measurement.ts'
import type { MessageOperators, ParsedQuery } from './parse.ts'
import type { SearchQuery } from './search.ts'

export type MessagePages = Pick<SearchFilter, 'messagePages' | 'withoutMessagePages'>

/** Finds the pages with the messages that a search may find, or must not find. A search without conditions about messages asks nothing. */
export async function findMessagePages(
  { messages: wanted, projectIds, userId }: Pick<SearchQuery, 'messages' | 'projectIds' | 'userId'>,
  { messages: operators = {} }: Pick<ParsedQuery, 'messages'>,
  { records, measured, signal }: { records: Pick<Messages, 'find'>; measured: Measurement; signal: AbortSignal | undefined },
): Promise<MessagePages> {
  const projects = new Set(projectIds)
  const query = joined(wanted, operators)
  const excluded: MessageQuery[] = [
    ...(operators.withoutFrom ?? []).map((part) => ({ from: [part] })),
    ...(operators.withoutTo ?? []).map((part) => ({ to: [part] })),
    ...(operators.withoutSubject ?? []).map((part) => ({ subject: [part] })),
  ]
  const find = (queries: readonly MessageQuery[]) =>
    measured.stage('messages', () => records.find(projects, queries, { userId, signal }))
  return {
    ...(query !== null && { messagePages: await find([query]) }),
    ...(excluded.length > 0 && { withoutMessagePages: await find(excluded) }),
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
