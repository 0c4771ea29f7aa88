import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Status } from '../../src/contract/status.ts'
import { runCommand, testFolder, type CliOptions } from '../support/cli.ts'
import { startRealDaemon, runCli } from '../support/daemon.ts'
import { isOnServers } from '../support/on-servers.ts'
import { scriptedInstance } from '../support/scripted-instance.ts'

const check = { status: 'ok', message: 'fine' } as const
const STATUS: Status = {
  status: 'ok',
  version: '1.2.3',
  uptime_s: 93_784,
  checks: {
    database: check,
    index: check,
    embedder: { ...check, model: 'builtin' },
    reranker: { ...check, model: 'builtin' },
    queue: check,
    disk: check,
    originals: check,
  },
  documents: { queued: 120, processing: 4, ready: 12_345, failed: 2 },
  instance: {
    queue_oldest_s: 65,
    recent: {
      minutes: 5,
      requests: 300,
      searches: 25,
      search_ms: { median: 8.2, p95: 90, max: 1500 },
      documents_ready: 60,
      documents_failed: 2,
      passages: 900,
    },
    index: { passages: 45_000, unindexed: 0, segments: 12, memory_bytes: 5e8 },
    parsers: { processes: 3, idle: 1, waiting: 9 },
    memory: { resident_bytes: 9e8, heap_bytes: 1e8, search_limit_bytes: 4e9 },
    storage: {
      folder: '/srv/docsearch',
      database_bytes: 2e8,
      originals_bytes: 3e9,
      indexes_bytes: 7e8,
      page_images_bytes: null,
      free_bytes: 2e10,
      total_bytes: 1e11,
    },
    users: { active: 7, disabled: 1 },
  },
}

async function status(answer: Status, args: string[] = [], options: CliOptions = {}) {
  const { url } = await scriptedInstance({ 'GET /api/v1/status': answer })
  return runCommand(['status', ...args], { ...options, env: { DOCSEARCH_TOKEN: 'dsk_x', DOCSEARCH_SERVER: url } })
}

test('shows the owner everything, aligned on a terminal and with tabs on a pipe', async () => {
  const { code, stdout } = await status(STATUS)
  expect(code).toBe(0)
  expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual(
    expect.arrayContaining([
      ['status', 'ok'],
      ['uptime', '1 day 2 h'],
      ['documents', '12,471 documents: 12,345 ready, 120 queued, 4 in progress, 2 failed'],
      ['queue', '124 unfinished, the oldest for 1 min 5 s, about 10 min left'],
      ['searches', '5.0 a minute, half within 8.2 ms, 95 % within 90 ms, slowest 1.5 s'],
      ['index', '45,000 passages in 12 segments'],
      ['memory', '900 MB in all, index 500 MB of at most 4.0 GB'],
      ['parsers', '2 of 3 processes busy, 9 documents waiting'],
      ['disk', '20 GB of 100 GB free'],
      ['users', '7 active, 1 disabled'],
    ]),
  )
  const terminal = await status(STATUS, ['--no-color'], { terminal: 80 })
  expect(terminal.stdout).toMatch(/^ok\n/)
  expect(terminal.stdout).toMatch(/^documents +12,471 documents/m)
  expect(JSON.parse((await status(STATUS, ['--json'])).stdout)).toEqual(STATUS)
})

test('shows other users what they may see', async () => {
  const { code, stdout } = await status({ ...STATUS, instance: null })
  expect(code).toBe(0)
  expect(stdout).not.toMatch(/memory|disk|folder|users/)
})

test('has an exit code for each state, and names the checks that fail', async () => {
  const disk = { status: 'degraded', message: '12 MB free: uploads may soon be refused' } as const
  const degraded = await status({ ...STATUS, status: 'degraded', checks: { ...STATUS.checks!, disk } })
  expect([degraded.code, degraded.stdout]).toEqual([3, expect.stringContaining('disk degraded\t12 MB free')])
  expect((await status({ ...STATUS, status: 'unavailable' })).code).toBe(7)
  const nobody = await runCommand(['status'], { env: { DOCSEARCH_TOKEN: 'dsk_x', DOCSEARCH_SERVER: 'http://127.0.0.1:9' } })
  expect(nobody.code).toBe(5)
})

describe('--watch', () => {
  const stopAfter = (looks: number) => {
    const stop = new AbortController()
    let left = looks
    const wait = async () => {
      if (--left === 0) stop.abort()
    }
    return { signal: stop.signal, wait }
  }

  test('prints each status below the last one on a pipe, and as one line with --json', async () => {
    const plain = await status(STATUS, ['--watch'], stopAfter(3))
    expect(plain.code).toBe(130)
    expect(plain.stdout.match(/^status\tok$/gm)).toHaveLength(3)
    const json = await status(STATUS, ['--watch', '--json'], stopAfter(2))
    expect(
      json.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as Status).version),
    ).toEqual(['1.2.3', '1.2.3'])
  })

  test('redraws a terminal, and restores its content at the end', async () => {
    const { stdout } = await status(STATUS, ['--watch'], { terminal: 80, rows: 12, ...stopAfter(2) })
    expect(stdout.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true)
    expect(stdout.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true)
    const looks = stdout.split('\u001b[H').slice(1)
    expect(looks).toHaveLength(2)
    for (const look of looks) expect(look.split('\n').length).toBeLessThanOrEqual(12)
  })

  test('continues while the instance restarts', async () => {
    let calls = 0
    const server = createServer((_request, response) => {
      if (++calls === 2) return void response.destroy()
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(STATUS))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => server.close().closeAllConnections())
    const { port } = server.address() as { port: number }
    const env = { DOCSEARCH_TOKEN: 'dsk_x', DOCSEARCH_SERVER: `http://127.0.0.1:${port}` }
    const run = await runCommand(['status', '--watch'], { env, ...stopAfter(3) })
    expect(run.stdout.match(/^status\tok$/gm)).toHaveLength(2)
    expect(run.stderr).not.toBe('')
  })
})

describe('on a real instance', () => {
  test('--data reads a folder with and without its daemon', async () => {
    const daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin', DOCSEARCH_PARSE_WORKERS: '1' } })
    onTestFinished(() => daemon.dispose())
    const look = () => runCli(['status', '--json', '--data', daemon.dataDir], { ...daemon.env, DOCSEARCH_SERVER: '' })
    const running = await look()
    expect([running.code, JSON.parse(running.stdout)]).toMatchObject([0, { status: 'ok', instance: { users: { active: 1 } } }])
    await daemon.stop()
    const stopped = await look()
    expect([stopped.code, JSON.parse(stopped.stdout)]).toMatchObject([5, { status: 'unavailable', documents: { ready: 0 } }])
    // On servers, the environment names the database, so the command needs nothing in the folder.
    if (isOnServers) return
    const empty = join(testFolder(), 'empty')
    mkdirSync(empty)
    expect(await runCli(['status', '--data', empty], daemon.env)).toMatchObject({ code: 2 })
  })
})
