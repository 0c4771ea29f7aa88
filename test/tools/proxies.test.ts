import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startRealDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { hasNginx } from '../support/nginx.ts'
import { curl, hasCaddy, hasCurl, type Proxy, startCaddy, startNginx, stopProxy } from '../support/proxies.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

const PROXIES = [
  { name: 'nginx', isThere: hasNginx, start: startNginx },
  { name: 'caddy', isThere: hasCaddy, start: startCaddy },
]

for (const { name, isThere, start } of PROXIES) {
  const missing = isThere ? (hasCurl ? null : 'skipped: there is no curl') : `skipped: there is no ${name}`
  test.skipIf(missing !== null)(`the configuration in deploy/ for ${name} (${missing ?? 'with TLS'})`, async () => {
    const folder = await tempFolder()
    const port = await freePort()
    const url = `https://localhost:${port}`
    const daemon = await startRealDaemon({
      args: ['--public-url', url],
      env: { DOCSEARCH_TRUST_PROXY: 'true', DOCSEARCH_EMBEDDER: 'builtin' },
    })
    onTestFinished(() => daemon.dispose())
    const proxy = await start(folder, { port, instance: daemon.url })
    onTestFinished(() => stopProxy(proxy))
    const isUp = () => curl(proxy, [`${url}/api/v1/health`]).catch(() => '')
    await until(`${name} answers`, async () => (await isUp()).includes('"status":"ok"'))
    const token = ['--header', `Authorization: Bearer ${await daemon.token()}`]

    // Links and metadata have the public address.
    expect(await curl(proxy, [`${url}/.well-known/oauth-authorization-server`])).toContain(`"issuer":"${url}"`)
    expect(await curl(proxy, ['--head', `${url}/`])).toMatch(new RegExp(`^location: (${url})?/login`, 'im'))

    // Events arrive while the stream is open, and a body above the default limit of nginx, 1 MB, passes.
    const events = eventsOf(proxy, url, token)
    await events.opened
    const file = join(folder, 'large.txt')
    writeFileSync(file, 'The heron stands in the reeds.\n'.repeat(100_000))
    const forged = ['--header', 'X-Forwarded-For: 203.0.113.9']
    const upload = await curl(proxy, [...token, ...forged, '--form', `file=@${file}`, `${url}/api/v1/upload`])
    expect(JSON.parse(upload)).toMatchObject({ documents: [{ name: 'large.txt', outcome: 'created' }] })
    await events.first

    // The audit log has the address that the proxy saw, not the one that the caller claims.
    const audit = await curl(proxy, [...token, `${url}/api/v1/audit?action=document.upload`])
    expect(audit).toContain('127.0.0.1')
    expect(audit).not.toContain('203.0.113.9')
  })
}

/** Listens to the events of the instance. */
function eventsOf(proxy: Proxy, url: string, token: readonly string[]): { opened: Promise<unknown>; first: Promise<unknown> } {
  const args = ['--silent', '--no-buffer', '--include', '--cacert', proxy.authority, ...token, `${url}/api/v1/events`]
  const child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let received = ''
  const contains = (part: string) =>
    new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (data: Buffer) => {
        received += data.toString('utf8')
        if (received.includes(part)) resolve()
      })
      void exited.then(() => reject(new Error(`the stream ended without ${part}: ${received}`)))
    })
  return { opened: contains('text/event-stream'), first: contains('event: document.') }
}
