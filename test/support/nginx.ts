import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'
import { freePort } from './free-port.ts'

export const hasNginx = spawnSync('nginx', ['-v']).status === 0

export interface Nginx extends AsyncDisposable {
  /** The address of what it passes on, with the path. */
  url: string
  /** Starts it in front of an instance. */
  start(instance: string): Promise<void>
}

/** Chooses a port for a real nginx that serves an instance below a path, with the configuration of docs/operations.md. */
export async function prepareNginx(path: string): Promise<Nginx> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-nginx-'))
  let stop = async () => {}
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async start(instance) {
      const file = join(folder, 'nginx.conf')
      await writeFile(file, await configuration({ folder, port, path, instance }))
      const child = spawn('nginx', ['-c', file, '-p', folder, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
      child.unref()
      const exited = once(child, 'exit')
      stop = async () => {
        child.kill('SIGTERM')
        await exited
      }
      await until(
        'nginx answers',
        async () => (await fetch(`http://127.0.0.1:${port}${path}/api/v1/health`).catch(() => null))?.ok,
      )
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Setup {
  folder: string
  port: number
  path: string
  instance: string
}

/** The blocks of docs/operations.md, with another path and address. */
async function configuration({ folder, port, path, instance }: Setup): Promise<string> {
  const documentation = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const [, blocks] = /^```nginx\n(.*?)^```/ms.exec(documentation) ?? []
  if (blocks === undefined) throw new Error('docs/operations.md has no configuration for nginx')
  return `
    daemon off;
    pid ${folder}/nginx.pid;
    events {}
    http {
      access_log off;
      ${temporaryPaths(folder)}
      server {
        listen 127.0.0.1:${port};
        ${blocks.replaceAll('/docs', path).replaceAll('http://127.0.0.1:4747', instance)}
      }
    }`
}

/** Settings with which nginx writes nowhere but into this folder. */
export function temporaryPaths(folder: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')
}
