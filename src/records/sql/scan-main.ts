import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { type PageList, toPageList } from '../../core/page-list.ts'
import { answerCalls } from '../../core/thread.ts'

/** A query that returns one row with one text. */
export interface Scan {
  sql: string
  parameters: readonly unknown[]
}

/** The calls of this thread. */
export interface ScanCalls {
  scan: { request: Scan; answer: PageList }
}

/** A checkpoint of the daemon may hold the database for a moment. */
const BUSY_TIMEOUT_MS = 10_000

const database = new DatabaseSync(workerData as string, { timeout: BUSY_TIMEOUT_MS, readOnly: true })

answerCalls<ScanCalls>({
  scan({ sql, parameters }) {
    const row = database.prepare(sql).get(...(parameters as SQLInputValue[]))
    return toPageList((Object.values(row ?? {})[0] as string | null | undefined) ?? '')
  },
})
