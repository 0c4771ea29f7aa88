import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer, text as consumed } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { DoctorReport } from '../../src/contract/doctor.ts'
import { BIN, cleanEnv, runCli, type CliResult } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

// What an operator reads when a backup can't be written, read or restored.

const isRoot = process.getuid?.() === 0
/** The user `nobody`. */
const OTHER = 65_534

/** Makes a data folder with one user, without a daemon. */
async function dataFolder(): Promise<{ data: string; env: Record<string, string> }> {
  const folder = await tempFolder()
  const data = join(folder, 'data')
  const env = cleanEnv(folder)
  const added = await runCli(['users', 'add', 'me@example.org', '--password-stdin', '--data', data], env, 'correct horse battery')
  expect(added).toMatchObject({ code: 0 })
  return { data, env }
}

test.each([[[]], [['--json']]])('a backup whose reader has ended says that it is incomplete (%j)', async (flags) => {
  const { data, env } = await dataFolder()
  const child = spawn(process.execPath, [BIN, ...flags, 'backup', '-', '--data', data], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors = consumed(child.stderr)
  child.stdout.once('data', () => child.stdout.destroy())
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(2)
  const message = 'The backup is incomplete: the program that reads it has ended.'
  const written = await errors
  if (flags.length === 0) expect(written.trim()).toBe(`docsearch: ${message}`)
  else expect(JSON.parse(written)).toMatchObject({ code: 'output_unwritable', message, exit_code: 2 })
})

test('a backup continues when nobody reads its messages', async () => {
  const { data, env } = await dataFolder()
  const child = spawn(process.execPath, [BIN, 'backup', '-', '--data', data], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.destroy()
  const [backup] = await Promise.all([buffer(child.stdout), once(child, 'close')])
  expect(await runCli(['backup', 'verify', '-'], env, backup)).toMatchObject({ code: 0 })
})

/** Runs the command as a user who is not root. Root may read every file. */
function runAsOther(args: readonly string[], home: string, user = OTHER): Promise<CliResult> {
  return new Promise((resolve) => {
    const options = { env: cleanEnv(home), cwd: home, ...(isRoot && { uid: user, gid: user }) }
    const child = execFile(process.execPath, [BIN, ...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

/** Returns a folder that another user may use, with a backup as a tar and one in a folder, and a stopped data folder. */
async function othersFolder(): Promise<{ home: string; tar: string; folder: string; data: string }> {
  const { data, env } = await dataFolder()
  const home = dirname(data)
  const [tar, folder] = [join(home, 'docsearch.tar'), join(home, 'backups')]
  for (const target of [tar, folder]) expect(await runCli(['backup', target, '--data', data], env)).toMatchObject({ code: 0 })
  await chmod(home, 0o777)
  return { home, tar, folder, data }
}

test('names a backup that this user may not read, and says what to do', async ({ skip }) => {
  const { home, tar, folder } = await othersFolder()
  for (const target of [tar, join(folder, 'manifest.json')]) await chmod(target, 0)
  skip((await runAsOther(['--help'], home)).code !== 0, 'another user may not read the checkout')
  for (const target of [tar, folder])
    for (const args of [
      ['backup', 'verify', target],
      ['restore', target, '--data', join(home, 'restored')],
    ]) {
      const { code, stderr } = await runAsOther(args, home)
      expect([args, code]).toEqual([args, 2])
      expect(stderr).toMatch(
        /^docsearch: Cannot read .*: permission denied\. Run the command as the user who owns the backup, or with sudo\.$/m,
      )
      expect(stderr).toContain(target)
    }
})

test.skipIf(!isRoot)("commands say that a data folder is another user's, and change nothing in it", async ({ skip }) => {
  const { home, data } = await othersFolder()
  skip((await runAsOther(['--help'], home)).code !== 0, 'another user may not read the checkout')
  await chown(data, OTHER, OTHER)
  // Root may read it, but files that belong to root would stop the daemon.
  const env = cleanEnv(home)
  for (const args of [
    ['backup', join(home, 'x.tar')],
    ['users', 'list'],
    ['serve', '--port', '0'],
  ]) {
    const { code, stderr } = await runCli([...args, '--data', data], env)
    expect([args, code]).toEqual([args, 2])
    expect(stderr).toContain(`The data folder ${data} belongs to another user (id ${OTHER}`)
  }
  const doctor = await runCli(['--json', 'doctor', '--data', data], env)
  const { findings } = JSON.parse(doctor.stdout) as DoctorReport
  expect(findings.map(({ code, message }) => [code, message])).toEqual([
    ['owner_differs', 'docsearch.db, tmp belong to another user, or cannot be read and written.'],
  ])
  expect((await stat(join(data, 'daemon.lock'))).uid).toBe(OTHER)

  const { code, stderr } = await runAsOther(['doctor', '--data', data], home, OTHER - 1)
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`You may not read ${data}. Run the doctor as the user who runs the daemon`),
  ])
})
