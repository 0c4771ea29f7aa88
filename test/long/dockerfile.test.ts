import { spawn, spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

/**
 * Runs the instructions of deploy/Dockerfile one by one, without Docker: each stage has a folder of its own as its root, with this machine's
 * programs in the place of those of the base image. The base image has no compiler, so compilers are hidden.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const hasBubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', '--uid', '1000', 'true']).status === 0
/** What node:24-slim does not have. */
const HIDDEN = ['gcc', 'cc', 'g++', 'c++', 'make', 'python3', 'git']
const NODE_USER = '1000'

interface Stage {
  name: string | undefined
  root: string
  env: Record<string, string>
  folder: string
  user: string
  command: Record<string, string[]>
}

/** Returns the instructions with their arguments. */
function instructionsOf(dockerfile: string): [name: string, rest: string][] {
  return dockerfile
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
      if (name === undefined || rest === undefined) throw new Error(`Not an instruction: ${line}`)
      return [name, rest]
    })
}

async function baseImage(root: string): Promise<void> {
  const local = join(root, 'usr/local')
  await mkdir(join(local, 'bin'), { recursive: true })
  for (const folder of ['tmp', 'root', 'etc', 'home/node']) await mkdir(join(root, folder), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(root, name))
  await cp(await realpath(process.execPath), join(local, 'bin/node'))
  const npm = dirname(dirname(await realpath(spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim())))
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
  await writeFile(join(root, 'etc/passwd'), `root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n`)
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
}

/** The arguments of bubblewrap that run a command in a stage. */
function inside({ root, env, folder, user }: Stage, extra: Record<string, string> = {}): string[] {
  const isThere = (path: string) => spawnSync('test', ['-e', path]).status === 0
  // The links of /etc/alternatives lead nowhere in the folder, so only the files themselves have to be hidden.
  const hidden = [
    ...new Set(
      HIDDEN.map((name) => `/usr/bin/${name}`)
        .filter(isThere)
        .map((path) => realpathSync(path)),
    ),
  ].filter((path) => path.startsWith('/usr/'))
  const ofSystem = ['/etc/ssl', '/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/usr/share/ca-certificates'].filter(
    isThere,
  )
  const variables = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', ...registrySettings(), ...env, ...extra }
  return [
    ['--bind', root, '/', '--proc', '/proc', '--dev', '/dev'],
    ['/usr/bin', '/usr/lib', '/usr/sbin', ...(isThere('/usr/lib64') ? ['/usr/lib64'] : [])].flatMap((path) => [
      '--ro-bind',
      path,
      path,
    ]),
    ofSystem.flatMap((path) => ['--ro-bind', path, path]),
    hidden.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    user === 'node' ? ['--unshare-user', '--uid', NODE_USER, '--gid', NODE_USER, '--cap-drop', 'ALL'] : [],
    ['--die-with-parent', '--clearenv', '--chdir', folder],
    Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
  ].flat()
}

/** How npm finds its registry, and the authority that it trusts. */
function registrySettings(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) =>
    /^(npm_config_(registry|cafile|proxy|https_proxy)|https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name),
  )
  return Object.fromEntries(names.map((name) => [name, process.env[name]!]))
}

async function copy(stage: Stage, from: string, sources: readonly string[], target: string): Promise<void> {
  for (const source of sources) {
    const isFolder = source === '.' || !/\.[a-z]+$/.test(source)
    const place = isFolder ? join(stage.root, stage.folder, target) : join(stage.root, stage.folder, target, source)
    const absolute = target.startsWith('/') ? join(stage.root, target) : place
    await mkdir(dirname(absolute), { recursive: true })
    await cp(join(from, source), absolute, { recursive: true, verbatimSymlinks: true })
  }
}

/** What a build gets of the repository (Dockerfile.dockerignore). */
async function buildContext(folder: string): Promise<void> {
  const patterns = (await readFile(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8')).match(/(?<=^!).+/gm) ?? []
  for (const name of await readdir(ROOT)) {
    const isWanted = patterns.some((pattern) =>
      new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name),
    )
    if (isWanted) await cp(join(ROOT, name), join(folder, name), { recursive: true })
  }
}

async function build(work: string): Promise<Stage> {
  const context = join(work, 'context')
  await mkdir(context)
  await buildContext(context)
  const stages: Stage[] = []
  for (const [name, rest] of instructionsOf(await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8'))) {
    const stage = stages.at(-1)!
    switch (name) {
      case 'FROM': {
        const [, image, alias] = /^(\S+)(?: AS (\S+))?$/.exec(rest)!
        expect(image).toBe('node:24-slim')
        const root = join(work, `stage-${stages.length}`)
        await baseImage(root)
        stages.push({ name: alias, root, env: {}, folder: '/', user: 'root', command: {} })
        break
      }
      case 'WORKDIR':
        stage.folder = rest
        await mkdir(join(stage.root, rest), { recursive: true })
        break
      case 'COPY': {
        const words = rest.split(' ')
        const from = /^--from=(.+)$/.exec(words[0]!)?.[1]
        const paths = from === undefined ? words : words.slice(1)
        const source = from === undefined ? context : stages.find((one) => one.name === from)!.root
        await copy(stage, source, paths.slice(0, -1), paths.at(-1)!)
        break
      }
      case 'RUN': {
        // The user `node` is user 1000 of this machine here, whatever its name is.
        const script = rest.replaceAll('-o node -g node', `-o ${NODE_USER} -g ${NODE_USER}`)
        const { status, stdout, stderr } = spawnSync('bwrap', [...inside(stage), 'sh', '-c', script], {
          encoding: 'utf8',
          maxBuffer: 64e6,
        })
        expect(status, `RUN ${rest}\n${stdout.slice(-2000)}\n${stderr.slice(-4000)}`).toBe(0)
        break
      }
      case 'ENV':
        for (const [, key, value] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[key!] = value!
        break
      case 'USER':
        stage.user = rest
        break
      case 'ENTRYPOINT':
      case 'CMD':
        stage.command[name] = JSON.parse(rest) as string[]
        break
      case 'HEALTHCHECK':
        stage.command[name] = JSON.parse(/ CMD (.+)$/.exec(rest)![1]!) as string[]
        break
      case 'VOLUME':
      case 'EXPOSE':
        break
      default:
        throw new Error(`This test does not know ${name}.`)
    }
  }
  return stages.at(-1)!
}

test.skipIf(!hasBubblewrap)(
  `the steps of the Dockerfile (${hasBubblewrap ? 'one by one' : 'skipped: bubblewrap is missing'})`,
  async () => {
    const work = await tempFolder()
    onTestFinished(() => rm(work, { recursive: true, force: true }))
    const image = await build(work)
    expect(image.user).toBe('node')
    const installed = await readdir(join(image.root, 'usr/local/lib/node_modules/docsearch'))
    expect(installed).toEqual(expect.arrayContaining(['THIRD_PARTY_LICENSES.txt', 'sbom.cdx.json', 'deploy']))

    // The volume. In a namespace with one user, its files belong to the user of this test.
    const volume = join(work, 'volume')
    await mkdir(volume, { mode: 0o700 })
    const port = String(await freePort())
    const container = [...inside(image, { DOCSEARCH_PORT: port }), '--bind', volume, '/data']
    const check = () => spawnSync('bwrap', [...container, ...image.command['HEALTHCHECK']!]).status
    const program = [...container, ...image.command['ENTRYPOINT']!]

    const add = [...program, 'users', 'add', 'me@example.org', '--password-stdin']
    const added = spawnSync('bwrap', add, { input: 'correct horse battery', encoding: 'utf8' })
    expect(added, added.stderr).toMatchObject({ status: 0 })
    expect(check()).toBe(1)
    const daemon = spawn('bwrap', [...program, '--json', ...image.command['CMD']!], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(daemon, 'exit')
    onTestFinished(async () => {
      daemon.kill('SIGKILL')
      await exited
    })
    const [line] = (await once(createInterface({ input: daemon.stdout }), 'line')) as [string]
    // The owner has a password, so there is no link.
    expect(JSON.parse(line)).toEqual({ event: 'listening', url: `http://127.0.0.1:${port}`, pid: expect.any(Number) })
    await until('the health check passes', async () => check() === 0)
  },
)
