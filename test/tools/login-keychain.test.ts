import { execFile, spawnSync } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testFolder } from '../support/cli.ts'
import { json, problem } from '../support/scripted-instance.ts'
import type { Received } from '../support/scripted-instance.ts'
import { scriptedOAuth, TOKENS } from '../support/scripted-oauth.ts'
import { errorCode } from '../support/codes.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const missing = [
  ...['dbus-run-session', 'gnome-keyring-daemon'].filter((program) => spawnSync(program, ['--version']).status !== 0),
  ...(spawnSync(process.execPath, ['-e', 'require("keytar")'], { cwd: fileOf('.') }).status === 0 ? [] : ['keytar']),
]
const word = missing.length === 0 ? 'gnome-keyring' : `skipped: no ${missing.join(', ')} here`

const NEXT = { ...TOKENS, access_token: 'e'.repeat(64), refresh_token: 'f'.repeat(64) }

test.skipIf(missing.length > 0)(`stores, renews and deletes a login in a real keyring (${word})`, async () => {
  const instance = await scriptedOAuth({
    'POST /api/oauth/token': ({ body }: Received, response: ServerResponse) =>
      json(response, 200, body.toString().includes('grant_type=refresh_token') ? NEXT : TOKENS),
    // The login is revoked in the meantime.
    'GET /api/v1/projects': ({ headers }: Received, response: ServerResponse) =>
      headers.authorization === `Bearer ${NEXT.access_token}`
        ? json(response, 200, { projects: [], next_cursor: null })
        : problem(response, 401, errorCode('invalid_token'), 'The token is unknown, revoked or expired.'),
  })
  const home = testFolder()
  const config = join(home, 'config')
  const program = `import { readdirSync, readFileSync } from 'node:fs'
    import { main } from '${fileOf('../../src/cli/main.ts')}'
    import { processIo } from '${fileOf('../../src/cli/io.ts')}'
    const run = (...args) => main(args, Object.assign(processIo(), { wait: async () => {} }))
    const codes = [await run('login', '${instance.url}', '--device'), await run('projects', 'list'), await run('whoami')]
    const files = readdirSync('${config}', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const disk = files.map((file) => readFileSync(file.parentPath + '/' + file.name, 'utf8')).join()
    codes.push(await run('logout'), await run('whoami', '--server', '${instance.url}'))
    console.log(JSON.stringify({ codes, disk }))`
  const command = `printf test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$NODE" --input-type=module -e "$PROGRAM"`
  const { stdout, stderr } = await promisify(execFile)('dbus-run-session', ['--', 'sh', '-c', command], {
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_CONFIG_HOME: config,
      XDG_RUNTIME_DIR: home,
      NODE: process.execPath,
      PROGRAM: program,
    },
  })
  expect(stdout).toContain('stored in the system keychain')
  expect(stdout).toContain('stored in\tthe system keychain')
  const { codes, disk } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { codes: number[]; disk: string }
  expect(codes).toEqual([0, 1, 0, 0, 4])
  expect(disk).toContain(instance.url)
  expect(instance.forms('/api/oauth/token').filter((form) => form['grant_type'] === 'refresh_token')).toHaveLength(1)
  expect(instance.forms('/api/oauth/revoke')).toMatchObject([{ token: NEXT.refresh_token }])
  for (const secret of [TOKENS.access_token, TOKENS.refresh_token, NEXT.access_token, NEXT.refresh_token])
    expect(stdout + stderr + disk).not.toContain(secret)
})
