import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { DocsearchError } from '../../../core/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Completes an address with a PostgreSQL service: a section of `~/.pg_service.conf` or `pg_service.conf`, which `?service=` or PGSERVICE names. `pg`
 * reads the other files and variables of libpq, but not this file. Parts that the address itself has take precedence. Throws `invalid_configuration`.
 */
export async function withService(address: string, env: Environment = process.env): Promise<string> {
  const url = new URL(address)
  const name = url.searchParams.get('service') ?? env['PGSERVICE'] ?? ''
  if (name === '') return address
  url.searchParams.delete('service')
  const has = { host: url.hostname !== '', port: url.port !== '', user: url.username !== '', password: url.password !== '' }
  for (const [key, value] of await readService(name, env)) {
    if (key === 'dbname') {
      if (url.pathname.length <= 1) url.pathname = `/${encodeURIComponent(value)}`
    } else if (!(key in has && has[key as keyof typeof has]) && !url.searchParams.has(key)) url.searchParams.set(key, value)
  }
  return url.href
}

async function readService(name: string, env: Environment): Promise<Map<string, string>> {
  const own = env['PGSERVICEFILE'] ?? join(env['HOME'] ?? homedir(), '.pg_service.conf')
  const files = [own, join(env['PGSYSCONFDIR'] ?? '/etc/postgresql-common', 'pg_service.conf')]
  for (const file of files) {
    const settings = sectionOf(await read(file), name)
    if (settings !== null) return settings
  }
  throw new DocsearchError(
    'invalid_configuration',
    `There is no PostgreSQL service ${JSON.stringify(name)} in ${files.join(' or ')}.`,
  )
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return ''
    throw new DocsearchError('invalid_configuration', `Could not read ${file}: ${error.message}`, { cause: error })
  })
}

function sectionOf(text: string, name: string): Map<string, string> | null {
  let found: Map<string, string> | null = null
  let isInside = false
  for (const line of text.split(/\r?\n/).map((line) => line.trim())) {
    if (line.startsWith('[')) {
      isInside = found === null && line === `[${name}]`
      if (isInside) found = new Map()
    } else if (isInside && line !== '' && !line.startsWith('#')) {
      const at = line.indexOf('=')
      if (at > 0) found?.set(line.slice(0, at).trim(), line.slice(at + 1).trim())
    }
  }
  return found
}
