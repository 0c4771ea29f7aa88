import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withLock } from '../../../src/client/credentials/lock.ts'
import { testFolder } from '../../support/cli.ts'
import { errorCode } from '../../support/codes.ts'

function lockFile(): string {
  return join(testFolder(), 'credentials', 'a.json.lock')
}

/** The ID of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '0']).pid
}

function leaveLock(file: string, pid: number, host = hostname()): void {
  writeFileSync(file, JSON.stringify({ pid, host, nonce: 'left over' }))
}

test('one process at a time holds the lock, and no file is left', async () => {
  const file = lockFile()
  let [inside, most, done] = [0, 0, 0]
  const work = async () => {
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
    if (++done % 3 === 0) throw new Error('failed')
  }
  await Promise.allSettled(Array.from({ length: 12 }, () => withLock(file, work)))
  expect([most, done]).toEqual([1, 12])
  expect(readdirSync(join(file, '..'))).toEqual([])
})

test('the lock of a dead process is removed by one of many', async () => {
  const file = lockFile()
  await withLock(file, async () => {})
  leaveLock(file, deadPid())
  let [inside, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
  }
  await Promise.all(Array.from({ length: 8 }, () => withLock(file, work)))
  expect(most).toBe(1)
})

test('a lock that is too old is removed, even if its process runs or is on another machine', async () => {
  const file = lockFile()
  await withLock(file, async () => {})
  for (const host of [hostname(), 'another']) {
    leaveLock(file, process.pid, host)
    const past = new Date(Date.now() - 121_000)
    utimesSync(file, past, past)
    expect(await withLock(file, async () => 'done')).toBe('done')
  }
})

test('waits for a lock in use, but not forever', async () => {
  const file = lockFile()
  await withLock(file, async () => {})
  for (const [pid, host] of [
    [process.pid, hostname()],
    [deadPid(), 'another'],
  ] as const) {
    leaveLock(file, pid, host)
    await expect(withLock(file, async () => {}, { waitMs: 0 })).rejects.toMatchObject({ code: errorCode('login_busy') })
    expect(existsSync(file)).toBe(true)
  }
})

test('Ctrl-C ends the wait, but not the work under the lock', async () => {
  const file = lockFile()
  const controller = new AbortController()
  const held = withLock(
    file,
    async () => {
      controller.abort()
      await expect(withLock(file, async () => {}, { signal: controller.signal })).rejects.toMatchObject({
        code: errorCode('aborted'),
      })
      return statSync(file).mode & 0o777
    },
    { signal: controller.signal },
  )
  expect(await held).toBe(0o600)
})
