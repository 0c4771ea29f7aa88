import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BIN, type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { textWith } from '../support/words.ts'

/** The most careless mask that a user can have. Children inherit it. */
let before: number
beforeEach(() => void (before = process.umask(0)))
afterEach(() => void process.umask(before))

/** Returns everything in a folder that the group or others may read, write or enter. */
function openToOthers(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => (lstatSync(join(folder, path)).mode & 0o077) !== 0)
}

test('no file of a data folder or of the credentials is open to other users, whatever the umask', async () => {
  const daemon: RealDaemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  try {
    const papers = join(daemon.dataDir, '..', 'papers')
    mkdirSync(papers)
    writeFileSync(join(papers, 'note.txt'), textWith('heron'))
    expect(await runCli(['upload', '--recursive', '--wait', papers], daemon.env)).toMatchObject({ code: 0 })
    expect(await runCli(['search', 'heron'], daemon.env)).toMatchObject({ code: 0 })
    const files = readdirSync(daemon.dataDir, { recursive: true, encoding: 'utf8' })
    for (const expected of [
      /^docsearch\.db$/,
      /^docsearch\.db-wal$/,
      /^daemon\.sock$/,
      /^daemon\.lock$/,
      /^blobs\/./,
      /^lance\/.*\.lance\/./,
    ])
      expect(
        files.some((file) => expected.test(file)),
        String(expected),
      ).toBe(true)
    expect(openToOthers(daemon.dataDir)).toEqual([])
    expect(openToOthers(join(daemon.env['XDG_CONFIG_HOME']!, 'docsearch'))).toEqual([])
    expect(statSync(daemon.dataDir).mode & 0o777).toBe(0o700)
  } finally {
    await daemon.dispose()
  }
})

test('a data folder that `users add` or `reindex` writes is private, too', async () => {
  const folder = join(await tempFolder(), 'data')
  execFileSync(process.execPath, [BIN, 'users', 'add', 'ada@example.org', '--data', folder], { stdio: 'ignore' })
  execFileSync(process.execPath, [BIN, 'reindex', '--data', folder], { stdio: 'ignore' })
  expect(readdirSync(folder)).toContain('docsearch.db')
  expect(openToOthers(folder)).toEqual([])
})

test('the cache of compiled code is private, because others could put code into it', async () => {
  const folder = join(await tempFolder(), 'cache')
  const code = join(folder, 'docsearch', 'code')
  const run = () => execFileSync(process.execPath, [BIN, '--version'], { env: { ...process.env, XDG_CACHE_HOME: folder } })
  run()
  expect(statSync(code).mode & 0o777).toBe(0o700)
  chmodSync(code, 0o777)
  run()
  expect(statSync(code).mode & 0o777).toBe(0o700)
})

test('a file that the user asked for has the mode of the umask', async () => {
  const daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  try {
    const file = join(daemon.dataDir, '..', 'note.txt')
    writeFileSync(file, textWith('heron'))
    expect(await runCli(['upload', '--wait', file], daemon.env)).toMatchObject({ code: 0 })
    const copy = join(daemon.dataDir, '..', 'copy.txt')
    expect(await runCli(['documents', 'get', 'note.txt', '-o', copy], daemon.env)).toMatchObject({ code: 0 })
    expect(statSync(copy).mode & 0o777).toBe(0o666)
  } finally {
    await daemon.dispose()
  }
})
