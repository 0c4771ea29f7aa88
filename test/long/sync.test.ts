import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { BIN, type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { type Mount, mountTmpfs } from '../support/mount.ts'
import { rest, type Rest } from '../support/rest.ts'
import { until } from '../support/until.ts'

/** At least 1,400. */
const FILES = Number(process.env.DOCSEARCH_TEST_DOCUMENTS ?? 10_000)
const FOLDERS = 100
const PROJECT = 'notes'
const DAY = 24 * 3600

/** A folder of 10,000 notes, and a daemon whose data folder is a small file system if this machine allows that. */
let home: string
let folder: string
let daemon: RealDaemon
let api: Rest
let mount: Mount | null
let cacheMount: Mount | null

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'docsearch-sync-'))
  folder = join(home, 'notes')
  mkdirSync(join(home, 'instance'))
  mount = mountTmpfs(join(home, 'instance'), '3g')
  mkdirSync(join(home, 'full-cache'))
  cacheMount = mountTmpfs(join(home, 'full-cache'), '64k')
  daemon = await startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  api = rest(daemon.url, await daemon.token())
  for (let i = 0; i < FILES; i++) write(nameOf(i), textOf(i))
})
afterAll(async () => {
  await daemon?.kill()
  mount?.unmount()
  cacheMount?.unmount()
  await rm(home, { recursive: true, force: true })
})

const nameOf = (i: number): string => `${i % FOLDERS}/note-${i}.txt`
const textOf = (i: number): string => `Note ${i} is about ${['rent', 'repairs', 'heating', 'keys', 'noise'][i % 5]} in flat ${i}.`
let written = 0

/** Each file has a time of its own in the past, so that its hash may be kept. */
function write(name: string, text: string): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  const time = Date.now() / 1000 - DAY + written++
  utimesSync(file, time, time)
}

const ARGS = ['sync', '--project', PROJECT, '--prune', '--max-delete', '100%']
const sync = (env: Record<string, string> = {}) => runCli([...ARGS, folder], { ...daemon.env, ...env })

function startSync(): ChildProcess {
  return spawn(process.execPath, [BIN, ...ARGS, folder], { env: daemon.env, stdio: 'ignore' })
}

async function pathsOfProject(): Promise<string[]> {
  const run = await runCli(['documents', 'list', '--project', PROJECT, '--json'], daemon.env)
  const { documents } = JSON.parse(run.stdout) as { documents: { path: string }[] }
  return documents.map(({ path }) => path).toSorted()
}

const pathsInFolder = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .toSorted()

async function countOf(): Promise<number> {
  const known = await api.call<{ projects: { name: string }[] }>('GET', '/api/v1/projects')
  if (!known.body.projects.some(({ name }) => name === PROJECT)) return 0
  const { statuses } = await api.project(PROJECT)
  return Object.values(statuses).reduce((sum, count) => sum + count, 0)
}

/** Kills a sync once this many documents have arrived or left. */
async function killAfter(count: number): Promise<void> {
  const before = await countOf()
  const child = startSync()
  await until(`${count} documents more or fewer`, async () => Math.abs((await countOf()) - before) >= count)
  child.kill('SIGKILL')
}

test(`${FILES} files arrive, though the sync is killed again and again`, async () => {
  for (const count of [1, FILES / 20, FILES / 4]) await killAfter(count)
  expect(await sync()).toMatchObject({ code: 0, stdout: '' })
  expect(await pathsOfProject()).toEqual(pathsInFolder())
  expect((await sync()).stderr).toContain(`0 new, 0 changed, 0 renamed, 0 gone, ${FILES} unchanged`)
})

test('changed, renamed and deleted files, with a kill in the middle and two syncs at once', async () => {
  for (let i = 0; i < 300; i++) write(nameOf(i), `${textOf(i)} It was changed.`)
  for (let i = 300; i < 600; i++) renameSync(join(folder, nameOf(i)), join(folder, `renamed-${i}.txt`))
  for (let i = 600; i < 900; i++) rmSync(join(folder, nameOf(i)))
  for (let i = 0; i < 300; i++) write(`new/${i}.txt`, `A new note ${i}.`)
  await killAfter(100)
  const codes = (await Promise.all([sync(), sync()])).map(({ code }) => code)
  // One of them may find that the other was faster, and says so with 3.
  expect(codes.filter((code) => code !== 0 && code !== 3)).toEqual([])
  expect(await sync()).toMatchObject({ code: 0 })
  expect(await pathsOfProject()).toEqual(pathsInFolder())
  expect((await sync()).stderr).toContain(`0 new, 0 changed, 0 renamed, 0 gone, ${FILES} unchanged`)
})

test('on a full disk nothing is deleted, the command says why, and a sync after that finishes', async ({ skip }) => {
  skip(mount === null, 'this machine does not allow mounting a small file system')
  for (let i = 1000; i < 1200; i++) write(nameOf(i), `${textOf(i)} ${'It was changed. '.repeat(5000)}`)
  for (let i = 1200; i < 1400; i++) rmSync(join(folder, nameOf(i)))
  const before = await pathsOfProject()
  const ballast = join(daemon.dataDir, 'ballast')
  onTestFinished(() => rmSync(ballast, { force: true }))
  fill(ballast)
  const failed = await sync()
  expect([failed.code, failed.stderr]).toEqual([7, expect.stringContaining('The disk of the instance is full.')])
  const after = await pathsOfProject()
  expect(before.filter((path) => !after.includes(path))).toEqual([])
  rmSync(ballast)
  expect((await sync()).code).toBe(0)
  expect(await pathsOfProject()).toEqual(pathsInFolder())
})

test('a full disk for the cache of hashes ends no sync', async ({ skip }) => {
  skip(cacheMount === null, 'this machine does not allow mounting a small file system')
  write('after-the-cache.txt', 'The cache was full.')
  const env = { XDG_CACHE_HOME: join(home, 'full-cache') }
  fill(join(home, 'full-cache', 'ballast'))
  const run = await sync(env)
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 new')])
  expect((await sync(env)).stderr).toContain('0 new, 0 changed, 0 renamed, 0 gone')
  expect(await pathsOfProject()).toEqual(pathsInFolder())
})

/** Writes until there is no room left. */
function fill(file: string): void {
  const fd = openSync(file, 'w')
  try {
    for (let size = 1 << 20; size >= 512; size = size >> 1)
      try {
        for (;;) writeSync(fd, Buffer.alloc(size))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
  } finally {
    closeSync(fd)
  }
}
