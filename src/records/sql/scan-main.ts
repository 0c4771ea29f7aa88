import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { toPageList } from '../../core/page-list.ts'
import type { Scan, ScanAnswer } from './scan-protocol.ts'

/** A checkpoint of the daemon may hold the database for a moment. */
const BUSY_TIMEOUT_MS = 10_000

const database = new DatabaseSync(workerData as string, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
parentPort?.on('message', (scan: Scan) => parentPort?.postMessage(answer(scan)))

function answer({ sql, parameters }: Scan): ScanAnswer {
  try {
    const row = database.prepare(sql).get(...(parameters as SQLInputValue[]))
    return { list: toPageList((Object.values(row ?? {})[0] as string | null | undefined) ?? '') }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { error: { message, ...(errcode !== undefined && { errcode }) } }
  }
}
