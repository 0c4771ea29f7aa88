import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testFolder } from '../support/cli.ts'

const there = ['dbus-run-session', 'gnome-keyring-daemon'].every((program) => spawnSync(program, ['--version']).status === 0)
const hasKeytar =
  spawnSync(process.execPath, ['-e', 'require("keytar")'], { cwd: fileURLToPath(new URL('.', import.meta.url)) }).status === 0
const store = fileURLToPath(new URL('../../src/client/credentials/store.ts', import.meta.url))

/** Runs a module in a separate session bus, with an unlocked gnome-keyring or without a keyring. */
function inSession(script: string, home: string, unlock: boolean) {
  const keyring = unlock ? 'printf test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; ' : ''
  const program = `import { openCredentialStore } from '${store}'
    const notices = []
    const s = openCredentialStore({ env: process.env, onNotice: (line) => notices.push(line) }); ${script}`
  const command = `${keyring}exec "$NODE" --input-type=module -e "$PROGRAM"`
  return spawnSync('dbus-run-session', ['--', 'sh', '-c', command], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_RUNTIME_DIR: home,
      NODE: process.execPath,
      PROGRAM: program,
    },
  })
}

test.skipIf(!there || !hasKeytar)('a real keyring stores the key, and the disk has no plain copy', () => {
  const home = testFolder()
  const script = `const at = 'http://127.0.0.1:4747'
    const where = await s.save(at, { token: 'dsk_in_the_keyring', kind: 'api_key' })
    const got = await s.get(at)
    await s.delete(at)
    console.log(JSON.stringify([where.source, got, await s.get(at), notices]))`
  const run = inSession(script, home, true)
  expect(JSON.parse(run.stdout)).toEqual([
    'keychain',
    { token: 'dsk_in_the_keyring', kind: 'api_key', source: 'keychain' },
    null,
    [],
  ])
})

test.skipIf(!there || !hasKeytar)('without a keyring the key is stored in a file, with a notice', () => {
  const home = testFolder()
  const run = inSession(
    `await s.save('http://127.0.0.1:4747', { token: 'dsk_in_a_file', kind: 'api_key' }); console.log(JSON.stringify([(await s.get('http://127.0.0.1:4747')).source, notices]))`,
    home,
    false,
  )
  expect(JSON.parse(run.stdout)).toEqual(['file', [expect.stringContaining('which only you can read')]])
  const folder = join(home, 'config', 'docsearch', 'credentials')
  expect(readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8')).toContain('dsk_in_a_file')
})
