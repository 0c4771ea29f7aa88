import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { cleanEnv } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const UNIT = join(ROOT, 'deploy/docsearch.service')
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
/** A user who may read the checkout, or null. */
const OTHER_UID = 65_534

interface Run {
  code: number | null
  stdout: string
  stderr: string
}

/** A folder with a `systemctl` that writes down how it was called. */
async function fakeSystemctl(): Promise<{ tools: string; calls: () => string }> {
  const tools = await tempFolder()
  chmodSync(tools, 0o777)
  const log = join(tools, 'log')
  writeFileSync(join(tools, 'systemctl'), `#!/bin/sh\necho "$@" >> '${log}'\n`)
  chmodSync(join(tools, 'systemctl'), 0o755)
  return { tools, calls: () => (existsSync(log) ? readFileSync(log, 'utf8') : '') }
}

/**
 * Runs a script as root with docsearch in /opt/docsearch, where all users may read it, and with an own /etc/systemd/system. Returns null where this
 * is not allowed.
 */
function asRoot(script: string, env: Record<string, string>): Run | null {
  const setUp = `mount -t tmpfs tmpfs /etc/systemd/system && mount -t tmpfs tmpfs /opt && mkdir /opt/docsearch && mount --rbind '${ROOT}' /opt/docsearch`
  if (spawnSync('unshare', ['--mount', 'sh', '-c', setUp]).status !== 0) return null
  const shell = `${setUp} && cd / && docsearch() { /opt/docsearch/node_modules/node/bin/node /opt/docsearch/bin/docsearch.js "$@"; } && ${script}`
  const { status, stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', shell], { env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

describe('the unit in deploy/', () => {
  test.skipIf(!hasAnalyze)('is valid, and exposes little of the system', async () => {
    expect(spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=30', '--no-pager', UNIT], {
      encoding: 'utf8',
    })
    expect(security.stdout).toMatch(/Overall exposure level for docsearch\.service: [12]\.\d/)
    expect(security.status).toBe(0)
  })
})

describe.skipIf(process.platform !== 'linux')('docsearch serve --install', () => {
  test('as root writes the unit of the system with these options, and enables it', async ({ skip }) => {
    const { tools, calls } = await fakeSystemctl()
    const env = cleanEnv(tools, { PATH: `${tools}:${process.env['PATH'] ?? ''}` })
    const install = `docsearch serve --install --public-url 'https://docs.example.org/100%' --port 4748`
    const run = asRoot(
      `${install} && cat /etc/systemd/system/docsearch.service && docsearch serve --uninstall && ls /etc/systemd/system`,
      env,
    )
    if (run === null) return skip('only root can mount a file system')
    expect(run, run.stderr).toMatchObject({ code: 0 })
    const unit = run.stdout
    const template = readFileSync(UNIT, 'utf8')
    const node = '/opt/docsearch/node_modules/node/bin/node'
    expect(unit).toContain(
      `ExecStart="${node}" "/opt/docsearch/bin/docsearch.js" "serve" "--port" "4748" "--public-url" "https://docs.example.org/100%%"`,
    )
    // Every restriction is the one that the other tests check.
    const settings = (text: string) => text.split('\n').filter((line) => /^\w+=/.test(line) && !line.startsWith('ExecStart='))
    expect(settings(unit)).toEqual(settings(template))
    expect(run.stderr).toContain('/var/lib/docsearch')
    expect(calls()).toBe(
      'daemon-reload\nenable docsearch.service\nrestart docsearch.service\ndisable --now docsearch.service\ndaemon-reload\n',
    )
    if (!hasAnalyze) return
    const file = join(tools, 'docsearch.service')
    writeFileSync(file, unit.replaceAll(node, process.execPath))
    expect(spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })

  test('as root refuses a program or a data folder that the service could not read', async ({ skip }) => {
    const { tools, calls } = await fakeSystemctl()
    const env = cleanEnv(tools, { PATH: `${tools}:${process.env['PATH'] ?? ''}` })
    const data = asRoot('docsearch serve --install --data /srv/docsearch', env)
    if (data === null) return skip('only root can mount a file system')
    expect(data).toMatchObject({ code: 2, stderr: expect.stringContaining('/var/lib/docsearch') })
    const settings = asRoot('docsearch serve --install --config /root/settings.json', env)
    expect(settings).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot read /root/settings.json') })
    expect(calls()).toBe('')
  })

  test('as another user writes a unit of this user', async ({ skip }) => {
    const isRoot = process.getuid?.() === 0
    const as = isRoot ? { uid: OTHER_UID, gid: OTHER_UID } : {}
    const { tools, calls } = await fakeSystemctl()
    const home = join(tools, 'home')
    mkdirSync(home)
    chmodSync(home, 0o777)
    const env = { ...cleanEnv(home), PATH: `${tools}:${process.env['PATH'] ?? ''}`, XDG_CACHE_HOME: join(home, 'cache') }
    const bin = join(ROOT, 'bin/docsearch.js')
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [bin, 'serve', ...args], { env, encoding: 'utf8', cwd: home, ...as })
    skip(run('--help').status !== 0, 'another user may not read the checkout')

    expect(run('--install', '--data', 'my docs', '--host', '0.0.0.0')).toMatchObject({ status: 0 })
    const unit = join(home, 'config/systemd/user/docsearch.service')
    expect(readFileSync(unit, 'utf8')).toContain(
      `ExecStart="${realpathSync(process.execPath)}" "${realpathSync(bin)}" "serve" "--data" "${join(home, 'my docs')}" "--host" "0.0.0.0"`,
    )
    if (hasAnalyze) execFileSync('systemd-analyze', ['verify', '--user', unit], { env: { ...env, XDG_RUNTIME_DIR: home } })
    expect(calls()).toBe('--user daemon-reload\n--user enable docsearch.service\n--user restart docsearch.service\n')
    expect(run('--uninstall')).toMatchObject({ status: 0, stderr: expect.stringContaining('The data stays') })
    expect(existsSync(unit)).toBe(false)
    expect(run('--uninstall')).toMatchObject({ status: 2, stderr: expect.stringContaining('no service to remove') })
  })
})
