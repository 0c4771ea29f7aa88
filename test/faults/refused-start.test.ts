import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Instance, newInstance } from '../support/instance.ts'
import { mountTmpfs } from '../support/mount.ts'
import { refusedStart } from '../support/refused.ts'
import { found } from '../support/promises.ts'
import { rareWord, textWith } from '../support/words.ts'

/** A whole data folder; every test spoils a copy. */
let template: Instance
let instance: Instance
const word = rareWord()

beforeAll(async () => {
  template = await newInstance()
  const running = await template.start()
  await running.upload([{ name: 'kept.txt', content: textWith(word) }], { wait: true })
  await running.daemon.stop()
})
afterAll(() => template?.remove())
afterEach(() => instance?.remove())

test('the second daemon on a data folder refuses and names the first, which goes on', async () => {
  instance = await template.copy()
  const first = await instance.start()
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(String(first.daemon.pid)) })
  expect(stderr).toContain(first.url)
  expect(await found(first, word)).toEqual(['kept.txt'])
})

test('a daemon that was killed is no first daemon', async () => {
  instance = await template.copy()
  await (await instance.start()).daemon.kill()
  expect(await found(await instance.start(), word)).toEqual(['kept.txt'])
})

test('a port in use is named, with the way out', async () => {
  instance = await template.copy()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { code, stderr } = await refusedStart(instance.env, ['--port', String(port)])
  server.close()
  expect(code).toBe(2)
  expect(stderr).toContain(String(port))
  expect(stderr).toContain('--port')
  // The refusal held nothing and spoiled nothing.
  expect(await found(await instance.start(), word)).toEqual(['kept.txt'])
})

test('a data folder of a newer version is refused and not touched', async () => {
  instance = await template.copy()
  const db = new DatabaseSync(join(instance.dataDir, 'docsearch.db'))
  db.prepare(`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999_from_the_future', ?)`).run(new Date().toISOString())
  db.close()
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/newer version/i) })
})

test('a folder that is a file is refused', async () => {
  instance = await newInstance()
  writeFileSync(instance.dataDir, 'not a folder')
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(instance.dataDir) })
})

test("somebody else's data folder is refused", async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root can give a folder to somebody else')
  instance = await template.copy()
  chownSync(instance.dataDir, 12_345, 12_345)
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/another user/) })
})

test('a read-only data folder is refused', async ({ skip }) => {
  instance = await newInstance()
  mkdirSync(instance.dataDir)
  if (process.getuid?.() === 0) {
    // For root a folder's mode forbids nothing: it takes a file system that is read-only.
    const mount = mountTmpfs(instance.dataDir, '8m')
    skip(mount === null, 'this machine lets nobody mount')
    try {
      execFileSync('mount', ['-o', 'remount,ro', instance.dataDir], { stdio: 'ignore' })
      await expectReadOnlyRefusal()
    } finally {
      mount!.unmount()
    }
  } else {
    chmodSync(instance.dataDir, 0o500)
    await expectReadOnlyRefusal()
    chmodSync(instance.dataDir, 0o700)
  }
})

async function expectReadOnlyRefusal(): Promise<void> {
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/cannot be written to/) })
  expect(stderr).toContain(instance.dataDir)
}
