import { sql, type RawBuilder } from 'kysely'
import { perDialect, positionOf } from './per-dialect.ts'

/** How to count what a table stores. Triggers on the documents maintain these tables; `docsearch doctor` compares them. */
interface Counted {
  key: readonly string[]
  values: readonly string[]
  /** Selects key and values, in this order. */
  from: RawBuilder<unknown>
}

export const COUNTED: Record<'document_counts' | 'folder_counts' | 'usage' | 'queue_turns', Counted> = {
  document_counts: {
    key: ['project_id', 'status'],
    values: ['documents', 'chunks', 'bytes'],
    from: sql`select project_id, status, count(*), coalesce(sum(chunk_count), 0), sum(size_bytes) from documents group by 1, 2`,
  },
  folder_counts: {
    key: ['project_id', 'folder'],
    values: ['documents'],
    from: sql`select project_id, substr(path, 1, ${positionOf('/', sql.ref('path'))}) as folder, count(*) from documents
      where parent_id is null group by 1, 2`,
  },
  usage: {
    key: ['owner_id'],
    values: ['documents', 'bytes', 'passages'],
    from: sql`select owner_id, sum(documents), sum(bytes), sum(passages) from (
        select owner_id, 1 as documents, size_bytes as bytes, passages from documents
        union all select owner_id, 0, size_bytes, 0 from trash) as used
      group by 1`,
  },
  queue_turns: {
    key: ['owner_id'],
    values: ['waiting'],
    from: sql`select owner_id, count(*) from documents where status = 'queued' group by 1`,
  },
}

const space = positionOf(' ', sql.ref('w.value'))

/** Selects the words of each vocabulary with their number of documents, from the words of each document. */
export const COUNTED_WORDS = sql`select v.id as vocabulary_id, substr(w.value, ${space} + 1) as word,
    substr(w.value, 1, ${space} - 1) as term, count(*) as documents
  from document_words dw join documents d on d.id = dw.document_id join vocabularies v on v.project_id = d.project_id
    cross join ${perDialect({ sqlite: sql`json_each(dw.words)`, postgres: sql`json_array_elements_text(dw.words::json)` })} as w
  group by 1, 2, 3`
