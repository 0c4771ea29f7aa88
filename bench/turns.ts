import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApiKeys } from '../src/auth/api-keys.ts'
import { systemClock } from '../src/core/clock.ts'
import { silentLogger } from '../src/core/logger.ts'
import { SCOPES } from '../src/core/model.ts'
import { openRecords } from '../src/records/sql/open.ts'
import { DATA_DIR } from '../test/support/data.ts'
import { type RealDaemon, startRealDaemon } from '../test/support/daemon.ts'
import { type Figure, median, ratio, timed } from './measure.ts'

const QUEUED_PDFS = 80
const FILES_PER_REQUEST = 20
const ROUNDS = 5
const SMALL_TEXT = Buffer.from('The heron waits at the weir until the water clears.\n'.repeat(20))

type Client = (path: string, file: Uint8Array<ArrayBuffer>[], type: string, wait: boolean) => Promise<void>

/** Measures how long a small file takes from upload to searchable behind eighty PDFs of another user, compared with alone. */
export async function measureTurns(): Promise<Figure[]> {
  const folder = DATA_DIR && join(DATA_DIR, 'filings', 'pdfs')
  if (!folder || !existsSync(folder)) return [{ name: 'turns in the queue', value: 'skipped: the documents are not here' }]
  const pdfs = readdirSync(folder)
    .toSorted()
    .map((name) => new Uint8Array(readFileSync(join(folder, name))))
  const smallPdf = new Uint8Array(readFileSync(join(DATA_DIR!, 'documents', 'pdf', 'sample-files__minimal-document.pdf')))
  const daemon = await startRealDaemon({ args: ['--embedder', 'builtin', '--log-level', 'warn'] })
  try {
    const [a, b] = await Promise.all([clientOf(daemon, 'A'), clientOf(daemon, 'B')])
    await a('warm-up', pdfs.slice(0, 4), 'pdf', true)
    const kinds = [
      { name: 'text file', type: 'txt', file: new Uint8Array(SMALL_TEXT), alone: [] as number[], behind: [] as number[] },
      { name: 'PDF of one page', type: 'pdf', file: smallPdf, alone: [] as number[], behind: [] as number[] },
    ]
    for (const { type, file, alone } of kinds) {
      await b('warm-up', [file], type, true)
      for (let i = 0; i < ROUNDS; i++) alone.push((await timed(() => b(`alone-${i}`, [file], type, true))).ms)
    }
    const queued = Array.from({ length: QUEUED_PDFS }, (_, i) => pdfs[i % pdfs.length]!)
    await a('queued', queued, 'pdf', false)
    let isDone = false
    const rest = a('queued', queued, 'pdf', true).then(() => (isDone = true))
    // The instance may end before they are done.
    rest.catch(() => {})
    for (let i = 0; i < ROUNDS; i++) {
      for (const { type, file, behind } of kinds)
        if (!isDone) behind.push((await timed(() => b(`behind-${i}`, [file], type, true))).ms)
    }
    return kinds
      .filter(({ behind }) => behind.length > 0)
      .map(({ name, alone, behind }) => ({
        name: `a ${name} behind ${QUEUED_PDFS} PDFs of another user : alone, upload to searchable`,
        value: `${ratio(median(behind) / median(alone))} (${behind.map(Math.round).join(', ')} : ${alone.map(Math.round).join(', ')} ms)`,
        bound: '≤ 3',
      }))
  } finally {
    await daemon.dispose()
  }
}

/** Returns a function that uploads files as a new user, and waits until they are searchable if asked to. */
async function clientOf(daemon: RealDaemon, name: string): Promise<Client> {
  const records = await openRecords({ file: join(daemon.dataDir, 'docsearch.db'), clock: systemClock, log: silentLogger })
  const user = await records.users.create({ name, email: `${name}@example.org`, role: 'member' })
  const { key } = await createApiKeys({ records, clock: systemClock }).create({
    ownerId: user.id,
    name: 'bench',
    scopes: SCOPES,
    expiresAt: null,
  })
  await records.close()
  return async (path, files, type, wait) => {
    for (let i = 0; i < files.length; i += FILES_PER_REQUEST) {
      const form = new FormData()
      for (const [at, file] of files.slice(i, i + FILES_PER_REQUEST).entries()) {
        form.append('path', `${path}/${i + at}.${type}`)
        form.append('file', new Blob([file]), `${i + at}.${type}`)
      }
      const headers: Record<string, string> = { Authorization: `Bearer ${key}`, ...(wait && { Prefer: 'wait=300' }) }
      const answer = await fetch(`${daemon.url}/api/v1/upload`, { method: 'POST', headers, body: form })
      if (!answer.ok && answer.status !== 422) throw new Error(`${answer.status} ${await answer.text()}`)
      await answer.text()
    }
  }
}
