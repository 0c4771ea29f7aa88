import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataFolder } from '../../../src/serve/data-folder.ts'
import { errorCode } from '../../support/codes.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docsearch-folder-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('refuses a second daemon and names the first, until the first closes the folder', async () => {
  const first = await openDataFolder(join(dir, 'data'))
  await first.announce({ pid: process.pid, url: 'http://127.0.0.1:4747', base_url: 'https://docs.example.org' })
  await expect(openDataFolder(join(dir, 'data'))).rejects.toMatchObject({
    code: errorCode('data_in_use'),
    message: expect.stringContaining(`process ${process.pid}, http://127.0.0.1:4747`) as string,
  })
  await first.close()
  await (await openDataFolder(join(dir, 'data'))).close()
})

test('does not name a daemon that was killed as the one that uses the folder', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const next = await openDataFolder(join(dir, 'data'))
  await next.announce({ pid, url: 'http://127.0.0.1:4747', base_url: 'http://127.0.0.1:4747' })
  await expect(openDataFolder(join(dir, 'data'))).rejects.toMatchObject({
    code: errorCode('data_in_use'),
    message: expect.stringContaining('is in use by another daemon. Stop') as string,
  })
  await next.close()
})

test('makes the folder private, also when it was not before', async () => {
  const data = join(dir, 'data')
  await mkdir(data, { mode: 0o755 })
  await (await openDataFolder(data)).close()
  expect((await stat(data)).mode & 0o777).toBe(0o700)
})

test('refuses a file in the place of the folder', async () => {
  await writeFile(join(dir, 'data'), '')
  await expect(openDataFolder(join(dir, 'data'))).rejects.toMatchObject({
    code: errorCode('data_unusable'),
    message: expect.stringContaining('is not a folder') as string,
  })
})

test('creates the parent folders too', async () => {
  await (await openDataFolder(join(dir, 'a', 'b', 'data'))).close()
  expect((await stat(join(dir, 'a', 'b', 'data'))).mode & 0o777).toBe(0o700)
})

test.runIf(existsSync('/proc/self'))('where nothing can be made it is refused, and the attempt ends', async () => {
  await expect(openDataFolder('/proc/docsearch-cannot-be/here')).rejects.toMatchObject({ code: errorCode('data_unusable') })
})
