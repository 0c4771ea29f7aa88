import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text as consumed } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { BIN, cleanEnv, runCli, startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { makeBackup } from '../support/make-backup.ts'
import { rest } from '../support/rest.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ENV = { DOCSEARCH_EMBEDDER: 'builtin', DOCSEARCH_LOG_LEVEL: 'error' }

async function start(): Promise<RealDaemon> {
  const daemon = await startRealDaemon({ env: ENV })
  onTestFinished(() => daemon.dispose())
  return daemon
}

test('a tar goes through a pipe, and restore refuses what it must refuse', async () => {
  const source = await start()
  const { upload } = rest(source.url, await source.token())
  await upload([{ name: 'one.txt', content: 'a document with a meaning' }], { wait: true })
  const folder = await tempFolder()
  const file = join(folder, 'backup.tar')
  expect(await runCli(['backup', file], source.env)).toMatchObject({ code: 0, stdout: '' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await runCli(['backup', file], source.env)).toMatchObject({ code: 2 })
  const tar = await readFile(file)

  const restore = (input: Buffer, data: string) => runCli(['restore', '-', '--data', data], source.env, input)
  const piped = join(folder, 'piped')
  // A restore leaves this behind when it is killed right after it has opened the folder.
  await mkdir(join(piped, 'tmp'), { recursive: true })
  await writeFile(join(piped, 'daemon.lock'), '')
  expect(await restore(tar, piped)).toMatchObject({ code: 0 })
  for (const name of ['docsearch.db', 'blobs']) expect((await stat(join(piped, name))).mode & 0o077).toBe(0)
  expect(await runCli(['restore', file, '--data', piped], source.env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not empty') as string,
  })

  const elsewhere = join(folder, 'elsewhere')
  expect(await restore(tar.subarray(0, -1500), elsewhere)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('incomplete') as string,
  })
  const flipped = Buffer.from(tar)
  flipped[5000]! ^= 1
  expect(await restore(flipped, elsewhere)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('docsearch.db is damaged') as string,
  })
  await expect(readdir(elsewhere)).rejects.toThrow('ENOENT')

  // An original that is damaged costs only this original.
  const original = Buffer.from(tar)
  original[original.lastIndexOf('a document with a meaning')]! ^= 1
  await writeFile(file, original)
  expect(await runCli(['backup', 'verify', file], source.env)).toMatchObject({ code: 3 })
  expect(await runCli(['restore', file, '--data', elsewhere], source.env)).toMatchObject({ code: 7 })
  expect(await runCli(['restore', file, '--data', elsewhere, '--skip-damaged'], source.env)).toMatchObject({ code: 3 })

  // A daemon does not begin on a folder in which a restore was killed, and the restore can be repeated.
  const killed = join(folder, 'killed')
  await mkdir(join(killed, 'restoring', 'blobs'), { recursive: true })
  await mkdir(join(killed, 'blobs'))
  expect(await runCli(['serve', '--port', '0', '--data', killed], source.env)).toMatchObject({ code: 2 })
  expect(await restore(tar, killed)).toMatchObject({ code: 0 })
})

test.skipIf(!existsSync('/dev/full'))('a backup to a full disk says so, once', async () => {
  const { env } = await start()
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [BIN, 'backup', '-'], { env, stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  const [said, [code]] = await Promise.all([consumed(child.stderr!), once(child, 'close')])
  expect(said).toMatch(/^docsearch: The backup is incomplete: ENOSPC\b.*\n$/)
  expect(code).toBe(2)
})

test('a backup of a newer version is refused', async () => {
  const folder = await tempFolder()
  const file = join(folder, 'newer.tar')
  await writeFile(file, await makeBackup({ schema: ['0001_initial', '9999_future'] }))
  const env = cleanEnv(folder)
  expect(await runCli(['backup', 'verify', file], env)).toMatchObject({ code: 0 })
  const restored = await runCli(['restore', file, '--data', join(folder, 'data')], env)
  expect(restored).toMatchObject({ code: 2, stderr: expect.stringContaining('newer version') as string })
  expect(await readdir(folder)).not.toContain('data')
})
