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

/** An intact data folder. Every test damages a copy. */
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

test('refuses a second daemon on a data folder and names the first, which keeps running', async () => {
  instance = await template.copy()
  const first = await instance.start()
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(String(first.daemon.pid)) })
  expect(stderr).toContain(first.url)
  expect(await found(first, word)).toEqual(['kept.txt'])
})

test('starts after a killed daemon on the same data folder', async () => {
  instance = await template.copy()
  await (await instance.start()).daemon.kill()
  expect(await found(await instance.start(), word)).toEqual(['kept.txt'])
})

test('names a port in use and says what to do', async () => {
  instance = await template.copy()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { code, stderr } = await refusedStart(instance.env, ['--port', String(port)])
  server.close()
  expect(code).toBe(2)
  expect(stderr).toContain(String(port))
  expect(stderr).toContain('--port')
  // The refused start locked and changed nothing.
  expect(await found(await instance.start(), word)).toEqual(['kept.txt'])
})

test('refuses a data folder of a newer version and does not change it', async () => {
  instance = await template.copy()
  const db = new DatabaseSync(join(instance.dataDir, 'docsearch.db'))
  db.prepare(`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999_from_the_future', ?)`).run(new Date().toISOString())
  db.close()
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/newer version/i) })
})

test('refuses a data folder that is a file', async () => {
  instance = await newInstance()
  writeFileSync(instance.dataDir, 'not a folder')
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(instance.dataDir) })
})

test("refuses another user's data folder", async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root can give a folder to another user')
  instance = await template.copy()
  chownSync(instance.dataDir, 12_345, 12_345)
  const { code, stderr } = await refusedStart(instance.env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/another user/) })
})

test('refuses a read-only data folder', async ({ skip }) => {
  instance = await newInstance()
  mkdirSync(instance.dataDir)
  if (process.getuid?.() === 0) {
    // Root can write to a folder of any mode, so this needs a read-only file system.
    const mount = mountTmpfs(instance.dataDir, '8m')
    skip(mount === null, 'this machine does not allow mounting')
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
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/is not writable/) })
  expect(stderr).toContain(instance.dataDir)
}
