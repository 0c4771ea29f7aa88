import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BIN } from './daemon.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const UNIT = join(ROOT, 'deploy/docsearch.service')
const FILTER = fileURLToPath(new URL('seccomp-filter.py', import.meta.url))
/** The Python of the system, which has the module. Another one may come first in PATH. */
const PYTHON = '/usr/bin/python3'
/** A user without a name, as systemd without its name service and `docker run --user` give one. */
const UID = '61234'

/** Null if the system can do this, else what is missing. */
export function missingForSandbox(): string | null {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return 'there is no systemd-analyze'
  if (spawnSync(PYTHON, ['-c', 'import seccomp']).status !== 0) return 'there is no python3-seccomp'
  const probe = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '--proc', '/proc', 'true'])
  return probe.status === 0 ? null : 'bubblewrap is missing or may not make namespaces'
}

/**
 * Runs docsearch as the unit in deploy/ does: a read-only system without homes, another user without rights, and only the system calls and kinds of
 * sockets that the unit allows. `folder` keeps the state between two runs.
 */
export function runInSandbox(folder: string, args: readonly string[]): ChildProcess {
  const state = join(folder, 'state')
  const cache = join(folder, 'cache')
  for (const path of [state, cache]) mkdirSync(path, { recursive: true, mode: 0o700 })
  const filter = join(folder, 'filter.bpf')
  writeFileSync(filter, execFileSync(PYTHON, [FILTER, UNIT], { stdio: ['ignore', 'pipe', 'ignore'] }))
  const hidden = ['/tmp', '/home', '/root', '/run', '/var/lib', '/var/cache'].flatMap((path) => ['--tmpfs', path])
  const variables = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/var/lib/docsearch',
    DOCSEARCH_DATA: '/var/lib/docsearch',
    XDG_CACHE_HOME: '/var/cache/docsearch',
    XDG_RUNTIME_DIR: '/run/docsearch',
  }
  const descriptor = openSync(filter, 'r')
  const options = [
    ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', ...hidden],
    ['--bind', state, '/var/lib/docsearch', '--bind', cache, '/var/cache/docsearch', '--dir', '/run/docsearch'],
    ['--ro-bind', ROOT, ROOT, '--chdir', '/var/lib/docsearch'],
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--uid', UID, '--gid', UID, '--cap-drop', 'ALL'],
    ['--new-session', '--die-with-parent', '--clearenv'],
    Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ['--seccomp', '3'],
  ]
  const child = spawn('bwrap', [...options.flat(), process.execPath, BIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', descriptor],
  })
  closeSync(descriptor)
  return child
}
