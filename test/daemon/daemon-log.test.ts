import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { apiClient } from '../support/api-client.ts'
import { BIN, cleanEnv, keyFor } from '../support/daemon.ts'
import { mountTmpfs } from '../support/mount.ts'
import { until, within } from '../support/until.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** Starts a daemon as `npm start` does, with standard error in `daemon.log`. */
async function start(data: string, home: string, extra: Record<string, string>) {
  const env = cleanEnv(home, { DOCSEARCH_EMBEDDER: 'builtin', DOCSEARCH_RATE_LIMIT: '0', DOCSEARCH_PARSE_WORKERS: '1', ...extra })
  const log = openSync(join(data, 'daemon.log'), 'a', 0o600)
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--data', data], { env, stdio: ['ignore', 'pipe', log] })
  closeSync(log)
  const exited = once(child, 'exit')
  ends.push(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const [line] = (await within('the daemon to listen', once(createInterface({ input: child.stdout! }), 'line'))) as [string]
  const url = line.replace('listening on ', '')
  const key = await keyFor({ ...env, DOCSEARCH_SERVER: url, DOCSEARCH_DATA: data })
  return { client: apiClient(url, key), child, exited }
}

function newFolder(): { home: string; data: string } {
  const home = mkdtempSync(join(tmpdir(), 'docsearch-log-'))
  ends.push(async () => rmSync(home, { recursive: true, force: true }))
  const data = join(home, 'data')
  mkdirSync(data, { mode: 0o700 })
  return { home, data }
}

const files = (data: string) =>
  readdirSync(data)
    .filter((name) => name.startsWith('daemon.log'))
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))

const linesOf = (data: string) =>
  files(data)
    .flatMap((name) => readFileSync(join(data, name), 'utf8').trimEnd().split('\n'))
    .filter((line) => line.startsWith('{'))

test('a full log is rotated without losing a line, into a limited number of private files', async () => {
  const { home, data } = newFolder()
  const { client } = await start(data, home, { DOCSEARCH_DAEMON_LOG_MAX_BYTES: '20 kB', DOCSEARCH_DAEMON_LOG_FILES: '50' })
  const ids = Array.from({ length: 600 }, (_, i) => `request-${String(i).padStart(6, '0')}`)
  for (const id of ids) await client.get('/api/v1/me', { 'X-Request-Id': id })
  await until('the last request to be logged', () => linesOf(data).some((line) => line.includes(ids.at(-1)!)))
  // Every line is whole, and in order over all files.
  const logged = linesOf(data)
    .map((line) => (JSON.parse(line) as { request_id?: string }).request_id)
    .filter((id) => id !== undefined && id.startsWith('request-'))
  expect(logged).toEqual(ids)
  expect(files(data).length).toBeGreaterThan(3)
  for (const name of files(data)) {
    const { size, mode } = statSync(join(data, name))
    expect([name, size <= 20_000, (mode & 0o777).toString(8)]).toEqual([name, true, '600'])
  }
})

test('keeps a limited number of files, and the newest has what Node itself writes at a crash', async () => {
  const { home, data } = newFolder()
  const { client, child, exited } = await start(data, home, {
    DOCSEARCH_DAEMON_LOG_MAX_BYTES: '5 kB',
    DOCSEARCH_DAEMON_LOG_FILES: '2',
    // SIGUSR2 makes Node write a report, whose path it prints on standard error.
    NODE_OPTIONS: '--report-on-signal --report-signal=SIGUSR2',
  })
  for (let i = 0; i < 100; i++) await client.get('/api/v1/me')
  await until('three files', () => files(data).length === 3)
  expect(files(data)).toEqual(['daemon.log.2', 'daemon.log.1', 'daemon.log'])
  child.kill('SIGUSR2')
  await until('Node to write to daemon.log', () => /report/i.test(readFileSync(join(data, 'daemon.log'), 'utf8')))
  child.kill('SIGTERM')
  await exited
})

test('goes on while the disk is full, and says later how many lines are missing', async ({ skip }) => {
  const { home, data } = newFolder()
  const mount = mountTmpfs(data, '48m')
  skip(mount === null, 'this machine does not allow mounting a small file system')
  ends.splice(1, 0, async () => mount?.unmount())
  const { client } = await start(data, home, { DOCSEARCH_DAEMON_LOG_MAX_BYTES: '30 kB' })
  const ballast = join(data, 'ballast')
  try {
    execFileSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4096'], { stdio: 'ignore' })
  } catch {
    // dd ends with an error when the disk is full.
  }
  for (let i = 0; i < 400; i++) expect((await client.get('/api/v1/me')).status).toBe(200)
  rmSync(ballast)
  await until('the log to go on', async () => {
    await client.get('/api/v1/me')
    return linesOf(data).some((line) => line.includes('log lines are missing here'))
  })
  const notice = linesOf(data).map((line) => JSON.parse(line) as { lines?: number; msg: string })
  expect(notice.find(({ msg }) => msg.startsWith('log lines are missing'))!.lines).toBeGreaterThan(0)
})

test('the daemon rotates an earlier log that is too large when it starts', async () => {
  const { home, data } = newFolder()
  writeFileSync(join(data, 'daemon.log'), `{"old":"${'x'.repeat(50_000)}"}\n`, { mode: 0o644 })
  const { client } = await start(data, home, { DOCSEARCH_DAEMON_LOG_MAX_BYTES: '20 kB' })
  await client.get('/api/v1/me')
  await until('the request to be logged', () => readFileSync(join(data, 'daemon.log'), 'utf8').includes('/api/v1/me'))
  expect(statSync(join(data, 'daemon.log.1')).size).toBeGreaterThan(50_000)
  expect((statSync(join(data, 'daemon.log.1')).mode & 0o777).toString(8)).toBe('600')
})
