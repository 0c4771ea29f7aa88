import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { cleanEnv } from '../support/daemon.ts'
import { root } from '../support/sources.ts'

// Runs the README's first command, which comes after `npm ci`.
const home = mkdtempSync(join(tmpdir(), 'docsearch-quickstart-'))
const data = join(home, 'instance')
const env = cleanEnv(home, { INIT_CWD: home })

afterAll(() => rmSync(home, { recursive: true, force: true }))

interface Ended {
  code: number
  stdout: string
  stderr: string
}

function script(name: string, ...args: string[]): Promise<Ended> {
  return new Promise((settle) => {
    execFile(process.execPath, [join(root, 'scripts', name), ...args], { env }, (error, stdout, stderr) => {
      settle({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
  })
}

const start = (...args: string[]) => script('quickstart.mjs', '--data', data, '--embedder', 'builtin', ...args)

test('the first command answers a question about the sample documents with the page', async () => {
  const built = statSync(join(root, 'dist')).mtimeMs
  const { code, stdout, stderr } = await start('--port', '0', '--once')
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('Searching: How much notice do I have to give before moving out?')
  expect(stdout).toMatch(/lease\.pdf:2:.*two months' notice/)
  expect(stdout.match(/\tcreated\tready\t/g)).toHaveLength(7)
  // What is built already is not built again.
  expect(statSync(join(root, 'dist')).mtimeMs).toBe(built)
  // The instance has stopped: no file says that a daemon uses the folder.
  expect(existsSync(join(data, 'daemon.json')), readFileSync(join(data, 'daemon.log'), 'utf8')).toBe(false)
})

test("a second start keeps the documents and uploads the user's folder, relative to the current folder", async () => {
  mkdirSync(join(home, 'mine'))
  copyFileSync(join(root, 'samples', 'lease.pdf'), join(home, 'mine', 'lease copy.pdf'))
  writeFileSync(join(home, 'mine', 'bees.txt'), 'The hive by the plum tree swarmed on the ninth of May.\n')
  const first = await start('--port', '0', 'mine', '--ask', 'when did the hive swarm')
  try {
    expect(first.code, first.stderr).toBe(0)
    expect(first.stdout).toContain('bees.txt:1:The hive')
    expect(first.stdout).toContain('npm stop')
    const [, command] = /^  (.* search .*)$/m.exec(first.stdout) ?? []
    const suggested = await promisify(execFile)('/bin/sh', ['-c', command!], { env, cwd: root })
    expect(suggested.stdout).not.toBe('')

    const { url } = JSON.parse(readFileSync(join(data, 'daemon.json'), 'utf8')) as { url: string }
    const second = await start('mine', '--ask', 'when did the hive swarm')
    expect(second.code, second.stderr).toBe(0)
    expect(second.stdout).toContain(`Using the instance that is already running at ${url}`)
    expect(second.stdout.match(/\tunchanged\tready\t/g)).toHaveLength(2)
  } finally {
    const stopped = await script('stop.mjs', '--data', data)
    expect(stopped.code, stopped.stderr).toBe(0)
  }
  expect((await script('stop.mjs', '--data', data)).code).toBe(1)
})

test('says what to do when the port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((settle) => other.once('listening', settle))
  try {
    const { code, stderr } = await start('--port', String((other.address() as AddressInfo).port))
    expect(code).toBe(2)
    expect(stderr).toMatch(/Port \d+ on 127\.0\.0\.1 is in use/)
    expect(stderr).toContain('npm start -- --port')
  } finally {
    other.close()
  }
})

test('takes another port and says so when the default one is in use', async () => {
  const other = createServer().listen(4747, '127.0.0.1')
  // Another program of this machine may have the port already.
  await new Promise((settle) => other.once('listening', settle).once('error', settle))
  try {
    const { code, stdout, stderr } = await start('--once')
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('Port 4747 is in use, so docsearch took another.')
    expect(stdout).toMatch(/Started an instance at http:\/\/127\.0\.0\.1:(?!4747)\d+\./)
  } finally {
    other.close()
  }
})

test('refuses a folder that does not exist before it starts anything', async () => {
  const { code, stderr } = await start('nowhere')
  expect(code).toBe(2)
  expect(stderr).toContain(`${join(home, 'nowhere')} is not a folder.`)
})
