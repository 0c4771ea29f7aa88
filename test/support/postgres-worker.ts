// A process that works on the queue of a database: `node postgres-worker.ts URL MODE`. It writes a line for each document that it claims and for each
// that it finishes. In the mode `hold`, it claims one document and finishes it when a line arrives.
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { createInterface } from 'node:readline'
import { systemClock } from '../../src/core/clock.ts'
import { isDocsearchError } from '../../src/core/errors.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { QueuedDocument } from '../../src/records/queue.ts'
import { openPostgres } from '../../src/records/sql/postgres/open.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import { HEALTH } from '../conformance/records/fixtures.ts'
import { LEASE_MS, IDLE_TRANSACTION_MS } from './postgres-leases.ts'

const [url, mode] = process.argv.slice(2) as [string, 'work' | 'hold']
const server = await pgServer({ url, log: silentLogger, connections: 3, idleTransactionMs: IDLE_TRANSACTION_MS })
const { records } = await openPostgres({ server, clock: systemClock, log: silentLogger, leaseMs: LEASE_MS })
const lines = createInterface(process.stdin)
const tell = (...words: string[]) => process.stdout.write(`${words.join(' ')}\n`)

async function finish(job: QueuedDocument): Promise<void> {
  const parsed = {
    pages: [{ number: 1, text: job.documentId, blocks: [] }],
    title: null,
    pageCount: 1,
    warnings: [],
    health: HEALTH,
    facts: {},
  }
  await records.queue.savePages(job, parsed)
  await records.queue.beginIndexing([{ ...job, passages: 2 }])
  const words = JSON.stringify(['rent rent', `pump ${job.documentId.replaceAll(/[^a-z]/g, '')}`])
  const result = { job, chunkCount: 2, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [], words }
  const unwanted = await records.queue.finish([result])
  tell(unwanted.length === 0 ? 'finished' : 'unwanted', job.documentId)
}

tell('ready')
if (mode === 'hold') {
  const [job] = await records.queue.claim(1)
  tell('claimed', job!.documentId)
  await once(lines, 'line')
  await finish(job!)
  await records.close()
} else {
  let isStopped = false
  lines.once('line', () => (isStopped = true))
  while (!isStopped) {
    try {
      const jobs = await records.queue.claim(2)
      for (const job of jobs) tell('claimed', job.documentId)
      for (const job of jobs) await finish(job)
      if (jobs.length === 0) await setTimeout(20)
    } catch (error) {
      // PostgreSQL has ended the transaction of a process that was frozen.
      if (!isDocsearchError(error, 'database_busy')) throw error
      tell('interrupted')
    }
  }
  await records.close()
}
lines.close()
