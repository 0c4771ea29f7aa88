import { z } from 'zod'
import type { SearchFilter } from '../core/search-filter.ts'
import { nameOrId, timestamp } from './common.ts'

export const pathPrefix = z
  .string()
  .min(1)
  .max(4000)
  .meta({ description: 'The beginning of the path, character by character. For a folder, end it with a slash: `notes/`' })

const messagePart = z.string().trim().min(1).max(200)

/** Filters by the header of messages. */
export const messageFilter = {
  from: messagePart
    .optional()
    .meta({ description: 'Messages with this text in the name or address of the sender, and their attachments' }),
  to: messagePart
    .optional()
    .meta({ description: 'Messages with this text in the name or address of a recipient, and their attachments' }),
  subject: messagePart.optional().meta({ description: 'Messages with this text in the subject, and their attachments' }),
  sent_after: timestamp.optional().meta({ description: 'Messages sent at this time or later, and their attachments' }),
  sent_before: timestamp.optional().meta({ description: 'Messages sent before this time, and their attachments' }),
}

/** Strict, because a typing error must not silently widen a search. */
export const searchFilter = z
  .strictObject({
    document_ids: z.array(nameOrId).min(1).max(1000).optional(),
    media_types: z.array(nameOrId).min(1).max(20).optional(),
    tags: z.array(nameOrId).min(1).max(100).optional().meta({ description: 'Documents with at least one of these tags' }),
    path_prefix: pathPrefix.optional(),
    created_after: timestamp.optional().meta({ description: 'Documents created at this time or later' }),
    created_before: timestamp.optional().meta({ description: 'Documents created before this time' }),
    ...messageFilter,
  })
  .meta({ description: 'A document must match every filter' })

/** Returns the filter of a request in the search's own terms. */
export function toSearchFilter(filter: z.output<typeof searchFilter> = {}): SearchFilter {
  return {
    documentIds: filter.document_ids,
    mediaTypes: filter.media_types,
    tags: filter.tags,
    pathPrefix: filter.path_prefix,
    createdAfter: toDate(filter.created_after),
    createdBefore: toDate(filter.created_before),
  }
}

interface MessageConditions {
  from?: string[]
  to?: string[]
  subject?: string[]
  sentAfter?: Date
  sentBefore?: Date
}

/** Returns the conditions of a request about the headers of messages; undefined if it has none. */
export function toMessageQuery(
  filter: Pick<z.output<typeof searchFilter>, keyof typeof messageFilter> = {},
): MessageConditions | undefined {
  const { from, to, subject, sent_after: after, sent_before: before } = filter
  if ([from, to, subject, after, before].every((value) => value === undefined)) return undefined
  return {
    ...(from !== undefined && { from: [from] }),
    ...(to !== undefined && { to: [to] }),
    ...(subject !== undefined && { subject: [subject] }),
    ...(after !== undefined && { sentAfter: new Date(after) }),
    ...(before !== undefined && { sentBefore: new Date(before) }),
  }
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
