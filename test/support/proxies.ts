import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryPaths } from './nginx.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const deployed = (name: string) => readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
const UPSTREAM = 'http://127.0.0.1:4747'

export const hasCaddy = spawnSync('caddy', ['version']).status === 0
export const hasCurl = spawnSync('curl', ['--version']).status === 0

/** A proxy with TLS in front of an instance. */
export interface Proxy {
  child: ChildProcess
  /** Where the certificate of its authority is. */
  authority: string
}

/** Starts nginx with deploy/nginx.conf, another port and another certificate. */
export async function startNginx(folder: string, { port, instance }: { port: number; instance: string }): Promise<Proxy> {
  const blocks = (await deployed('nginx.conf'))
    // No port is free for certain but the one that was chosen, so the redirect from port 80 is left out.
    .replace(/^server \{\n {2}listen 80;.*?^\}\n/ms, '')
    .replace(/^ *listen \[::\].*\n/m, '')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('docs.example.org;', 'localhost;')
    .replace(/(?<=ssl_certificate )[^;]+/, fixture('server.pem'))
    .replace(/(?<=ssl_certificate_key )[^;]+/, fixture('server.key'))
    .replace(UPSTREAM, instance)
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; pid ${folder}/nginx.pid; events {} http { access_log off; ${temporaryPaths(folder)} ${blocks} }`,
  )
  const child = spawn('nginx', ['-c', file, '-p', folder, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
  return { child, authority: fixture('authority.pem') }
}

/** Starts Caddy with deploy/Caddyfile and a certificate of its own authority. */
export async function startCaddy(folder: string, { port, instance }: { port: number; instance: string }): Promise<Proxy> {
  const file = join(folder, 'Caddyfile')
  const settings = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n'
  await writeFile(file, settings + (await deployed('Caddyfile')))
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    DOCSEARCH_SITE: `https://localhost:${port}`,
    DOCSEARCH_UPSTREAM: new URL(instance).host,
  }
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env })
  return { child, authority: join(folder, 'caddy/pki/authorities/local/root.crt') }
}

export async function stopProxy({ child }: Proxy): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** Runs curl, which trusts the authority of the proxy. */
export async function curl(proxy: Proxy, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('curl', ['--silent', '--show-error', '--cacert', proxy.authority, ...args])).stdout
}
