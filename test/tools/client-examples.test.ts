import { execFile, spawnSync } from 'node:child_process'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCli, startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { root } from '../support/sources.ts'

// Runs the examples of docs/client.md as they stand there.

let daemon: RealDaemon
let key: string
let busy: { url: string; close(): void }
beforeAll(async () => {
  daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  key = await daemon.token()
  busy = await startBusyProxy(daemon.url)
})
afterAll(() => busy?.close())
afterAll(() => daemon?.dispose())

const runs = (command: string, ...args: string[]) => spawnSync(command, args).status === 0
/** The system's own Python, for which .ci/run installs requests, may not be the first one in the path. */
const python = ['python3', '/usr/bin/python3'].find((command) => runs(command, '-c', 'import requests'))
const hasCurl = runs('curl', '--version') && runs('jq', '--version')

/** Passes every second request on to the instance, and answers the others with 429, as an instance does under load. */
async function startBusyProxy(to: string) {
  let count = 0
  const server = createServer((incoming, outgoing) => {
    if (++count % 2 === 1) {
      // The body is read first, so that the connection can end in an orderly way.
      incoming.resume().on('end', () => {
        outgoing.writeHead(429, { 'Content-Type': 'application/problem+json', 'Retry-After': '1' })
        outgoing.end('{"status":429,"code":"rate_limited","detail":"Too many requests."}')
      })
      return
    }
    const passed = forward(to + incoming.url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** Writes the example, with the files that it uploads, into a folder that has docsearch installed. */
function example(name: string): string {
  const page = readFileSync(join(root, 'docs', 'client.md'), 'utf8')
  const [, code] = new RegExp(`<!-- ${name} -->\\n\\n\`\`\`\\w+\\n(.*?)^\`\`\``, 'ms').exec(page) ?? []
  expect(code, `the example ${name}`).toBeDefined()
  const folder = mkdtempSync(join(tmpdir(), 'docsearch-example-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of ['lease.pdf', 'street-trees.pdf']) cpSync(join(root, 'samples', file), join(folder, file))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'docsearch'))
  writeFileSync(join(folder, name), code!)
  return folder
}

function run(command: string, args: string[], cwd: string, environment: Record<string, string> = {}) {
  // Each of the examples gets 429 for every second request.
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, DOCSEARCH_URL: busy.url, DOCSEARCH_API_KEY: key, ...environment }
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(command, args, { cwd, env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })
}

function expectAnswers({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^lease\.pdf, page 2: [^]*two months' notice/)
  const listed = stdout.split('\n').filter((line) => line.endsWith(' is ready'))
  expect(listed.toSorted()).toEqual(['lease.pdf is ready', 'street-trees.pdf is ready'])
}

test('the key is made as the page says', async () => {
  const page = readFileSync(join(root, 'docs', 'client.md'), 'utf8')
  const [, args] = /docsearch (--json keys create [^|]*)\|/.exec(page)!
  const made = await runCli(args!.replaceAll('\\\n', ' ').trim().split(/\s+/), daemon.env)
  expect(JSON.parse(made.stdout)).toMatchObject({ key: expect.stringMatching(/^dsk_/) })
})

test('the example in TypeScript compiles and runs', async () => {
  const folder = example('example.mts')
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  const types = ['--typeRoots', join(root, 'node_modules', '@types')]
  const compiled = await run(process.execPath, [tsc, ...flags, ...types, 'example.mts'], folder)
  expect(compiled).toEqual({ code: 0, stdout: '', stderr: '' })
  expectAnswers(await run(process.execPath, ['example.mts'], folder))
})

test.skipIf(python === undefined)('the example in Python runs (skipped without python3-requests)', async () => {
  expectAnswers(await run(python!, ['example.py'], example('example.py')))
})

test.skipIf(!hasCurl)('the example with curl runs (skipped without curl and jq)', async () => {
  expectAnswers(await run('bash', ['example.sh'], example('example.sh')))
})

test('the examples say what is wrong with a credential, and fail', async () => {
  const wrong = { DOCSEARCH_API_KEY: 'dsk_wrong' }
  const script = await run(process.execPath, ['example.mts'], example('example.mts'), wrong)
  expect([script.code, script.stderr]).toEqual([1, expect.stringContaining('invalid_token: ')])
  if (hasCurl) {
    const shell = await run('bash', ['example.sh'], example('example.sh'), wrong)
    expect([shell.code === 0, shell.stderr]).toEqual([false, expect.stringContaining('"invalid_token"')])
  }
  if (python === undefined) return
  const py = await run(python, ['example.py'], example('example.py'), wrong)
  expect([py.code, py.stderr]).toEqual([1, expect.stringMatching(/^401: /)])
})
