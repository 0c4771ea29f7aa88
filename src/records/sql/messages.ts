import { type RawBuilder, sql } from 'kysely'
import { foldName } from '../../core/fold-name.ts'
import type { MessageHeader } from '../../core/parsed.ts'
import type { AnsweredMessage, MessageQuery, Messages } from '../messages.ts'
import { containsText, joinTexts, perDialect } from './per-dialect.ts'
import { idRows } from './project-ids.ts'
import { reindexColumns } from './queue-recovery.ts'
import { slices, type Store, type WriteTransaction } from './store.ts'
import { dateOrNull, type MessageRow } from './tables.ts'

/** The ids of the answered messages as the table `answer`. A function over a column of another table needs its own words in each database. */
const ANSWERED = perDialect({
  sqlite: sql`json_each(messages.answers) as answer`,
  postgres: sql`json_array_elements_text(messages.answers::json) as answer (value)`,
})

export function createMessages(store: Store): Messages {
  const { db } = store
  return {
    find(projects, queries, turn) {
      const conditions = sql.join(
        queries.map((query) => sql`(${sql.join(conditionsOf(query), sql` and `)})`),
        sql` or `,
      )
      const query = sql<{ list: string | null }>`
        with recursive found (document_id, page) as materialized (
          select messages.document_id, messages.page from messages
            join documents on documents.id = messages.document_id
            where documents.project_id in (select value from ${idRows(projects)} as ids) and (${conditions})),
        attached (id) as (
          select documents.id from found join documents
            on documents.parent_id = found.document_id and documents.parent_page = found.page
          union select documents.id from attached join documents on documents.parent_id = attached.id),
        lines (line) as (
          select document_id || ' ' || ${joinTexts('page', ',')} from found group by document_id
          union all select id from attached)
        select ${joinTexts('line', '\n')} as list from lines`
      return store.scan(query, turn)
    },
    async get(documentId, page) {
      const row = await db
        .selectFrom('messages')
        .select(['sender', 'sent_at'])
        .where('document_id', '=', documentId)
        .where('page', '=', page)
        .executeTakeFirst()
      return row === undefined ? null : { from: row.sender, sentAt: dateOrNull(row.sent_at) }
    },
    async answeredBy(projectId, documentId) {
      const { rows } = await sql<{ page: number; source_id: string; source_page: number }>`
        select distinct messages.page, source.document_id as source_id, source.page as source_page
        from messages cross join ${ANSWERED}
          join messages as source on source.message_id = answer.value
          join documents on documents.id = source.document_id
        where messages.document_id = ${documentId} and documents.project_id = ${projectId}
          and documents.status <> 'failed' and documents.pages_version = documents.version
          and (source.document_id <> messages.document_id or source.page <> messages.page)
        order by 1, 2, 3`.execute(db)
      const found = new Map<number, AnsweredMessage[]>()
      for (const { page, source_id, source_page } of rows) {
        const answered = found.get(page) ?? []
        answered.push({ documentId: source_id, page: source_page })
        found.set(page, answered)
      }
      return found
    },
    setQuoted: (documentId, sourceIds) =>
      store.writeStep(async ({ sql: tx }) => {
        await tx.deleteFrom('quotations').where('document_id', '=', documentId).execute()
        const rows = sourceIds.map((source_id) => ({ document_id: documentId, source_id }))
        // The document may be deleted by now.
        const isThere = await tx.selectFrom('documents').select('id').where('id', '=', documentId).executeTakeFirst()
        if (isThere !== undefined && rows.length > 0) await tx.insertInto('quotations').values(rows).execute()
      }),
  }
}

function conditionsOf({ from = [], to = [], subject = [], sentAfter, sentBefore }: MessageQuery): RawBuilder<boolean>[] {
  const contains = (column: string, part: string) => containsText(`messages.${column}`, foldName(part))
  return [
    sql<boolean>`true`,
    ...from.map((part) => contains('sender_folded', part)),
    ...to.map((part) => contains('recipients_folded', part)),
    ...subject.map((part) => contains('subject_folded', part)),
    ...(sentAfter === undefined ? [] : [sql<boolean>`messages.sent_at >= ${sentAfter.getTime()}`]),
    ...(sentBefore === undefined ? [] : [sql<boolean>`messages.sent_at < ${sentBefore.getTime()}`]),
  ]
}

/** Stores the headers of the messages of a document. */
export async function saveMessages(
  { sql: tx }: Pick<WriteTransaction, 'sql'>,
  documentId: string,
  messages: readonly MessageHeader[],
): Promise<void> {
  await tx.deleteFrom('messages').where('document_id', '=', documentId).execute()
  const rows = messages.map(({ page, subject, from, to, cc, sentAt, messageId, answers }): MessageRow => ({
    document_id: documentId,
    page,
    sender: from,
    sender_folded: foldName(from),
    recipients_folded: foldName([to, cc].filter((people) => people !== '').join(', ')),
    subject_folded: foldName(subject ?? ''),
    sent_at: sentAt === null ? null : new Date(sentAt).getTime(),
    message_id: messageId,
    answers: JSON.stringify(answers),
  }))
  for (const part of slices(rows, 9)) await tx.insertInto('messages').values(part).execute()
}

/**
 * Queues the documents that left text out of the index because one of these documents has it. Call it when the text of these documents is no longer
 * in their project.
 */
export async function indexQuotesOf(tx: WriteTransaction, sourceIds: readonly string[], now: number): Promise<void> {
  for (const part of slices(sourceIds)) {
    const quoting = tx.sql.selectFrom('quotations').select('document_id').where('source_id', 'in', part)
    const rows = await tx.sql
      .updateTable('documents')
      .set(reindexColumns(now))
      .where('id', 'in', quoting)
      .where('id', 'not in', part)
      .where('status', 'in', ['ready', 'processing'])
      .returningAll()
      .execute()
    await tx.sql.deleteFrom('quotations').where('source_id', 'in', part).execute()
    await tx.announce('document.queued', rows)
  }
}
