import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue } from 'node:sqlite'
import type { Repairs } from '../inspection.ts'
import { translated } from './inspect.ts'
import { COUNTED, COUNTED_WORDS } from './stored-counts.ts'

const BUSY_TIMEOUT_MS = 10_000

/** Opens a database to repair what can be computed from the rest of it. A daemon may work with it at the same time. */
export function openRepairs(file: string, now: Date): Repairs {
  const database = translated(() => {
    const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    opened.exec('pragma synchronous = full')
    return opened
  })
  const run = (sql: string, ...parameters: SQLInputValue[]) => database.prepare(sql).run(...parameters)
  const write = (work: () => void) =>
    translated(() => {
      database.exec('begin immediate')
      try {
        work()
        database.exec('commit')
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    })
  return {
    recount: () =>
      write(() => {
        run('delete from document_counts')
        run(`insert into document_counts (project_id, status, documents, chunks, bytes, owner_id)
          select c.*, p.owner_id from (${COUNTED.document_counts.from}) c join projects p on p.id = c.project_id`)
        run('delete from folder_counts')
        run(`insert into folder_counts (project_id, folder, documents) ${COUNTED.folder_counts.from}`)
        run('delete from usage')
        run(`insert into usage (owner_id, documents, bytes, passages) ${COUNTED.usage.from}`)
        run('update queue_turns set waiting = 0')
        run(`insert into queue_turns (owner_id, turn, waiting) select owner_id, 0, waiting from
          (select owner_id, count(*) as waiting from documents where status = 'queued' group by owner_id) where true
          on conflict (owner_id) do update set waiting = excluded.waiting`)
      }),
    recountWords: () =>
      write(() => {
        run('delete from vocabulary_words')
        run(`insert into vocabulary_words (vocabulary_id, word, term, documents) ${COUNTED_WORDS}`)
        run(`update vocabularies set words = (select count(*) from vocabulary_words where vocabulary_id = vocabularies.id)`)
      }),
    markForDeletion: (documentIds) =>
      write(() => {
        run(
          'insert or ignore into tombstones (document_id, created_at) select value, ? from json_each(?)',
          now.getTime(),
          JSON.stringify(documentIds),
        )
      }),
    close: () => database.close(),
  }
}
