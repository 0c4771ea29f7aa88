/** How to count what a table stores. Triggers on the documents maintain these tables; `docsearch doctor` compares them. */
interface Counted {
  key: readonly string[]
  values: readonly string[]
  /** Selects key and values, in this order. */
  from: string
}

export const COUNTED: Record<'document_counts' | 'folder_counts' | 'usage' | 'queue_turns', Counted> = {
  document_counts: {
    key: ['project_id', 'status'],
    values: ['documents', 'chunks', 'bytes'],
    from: `select project_id, status, count(*), coalesce(sum(chunk_count), 0), sum(size_bytes) from documents group by 1, 2`,
  },
  folder_counts: {
    key: ['project_id', 'folder'],
    values: ['documents'],
    from: `select project_id, substr(path, 1, instr(path, '/')) as folder, count(*) from documents where parent_id is null group by 1, 2`,
  },
  usage: {
    key: ['owner_id'],
    values: ['documents', 'bytes', 'passages'],
    from: `select owner_id, sum(documents), sum(bytes), sum(passages) from (
        select owner_id, 1 as documents, size_bytes as bytes, passages from documents
        union all select owner_id, 0, size_bytes, 0 from trash)
      group by 1`,
  },
  queue_turns: {
    key: ['owner_id'],
    values: ['waiting'],
    from: `select owner_id, count(*) from documents where status = 'queued' group by 1`,
  },
}

/** Selects the words of each vocabulary with their number of documents, from the words of each document. */
export const COUNTED_WORDS = `select v.id as vocabulary_id, substr(w.value, instr(w.value, ' ') + 1) as word,
    substr(w.value, 1, instr(w.value, ' ') - 1) as term, count(*) as documents
  from document_words dw join documents d on d.id = dw.document_id join vocabularies v on v.project_id = d.project_id,
    json_each(dw.words) w
  group by 1, 2, 3`
