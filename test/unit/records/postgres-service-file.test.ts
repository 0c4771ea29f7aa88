import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withService } from '../../../src/records/sql/postgres/pg-server.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FILE = `# services
[other]
host=other.example
[docs]
host=db.example
port=5433
dbname=library
user=ann
password=p=w d
sslmode=require

[last]
host=last.example
`

test('completes an address with the service that it names, and keeps what the address has', async () => {
  const PGSERVICEFILE = join(await tempFolder(), 'services')
  await writeFile(PGSERVICEFILE, FILE)
  const read = async (address: string, env = {}) => {
    const url = new URL(await withService(address, { PGSERVICEFILE, ...env }))
    return { host: url.hostname, database: url.pathname, parameters: Object.fromEntries(url.searchParams) }
  }
  const whole = { host: 'db.example', port: '5433', user: 'ann', password: 'p=w d', sslmode: 'require' }
  expect(await read('postgres:///?service=docs')).toEqual({ host: '', database: '/library', parameters: whole })
  expect(await read('postgres://', { PGSERVICE: 'docs' })).toEqual({ host: '', database: '/library', parameters: whole })
  const { host: _, ...rest } = whole
  expect(await read('postgres://here.example/mine?service=docs')).toEqual({
    host: 'here.example',
    database: '/mine',
    parameters: rest,
  })
  await expect(read('postgres:///?service=none')).rejects.toThrow('There is no PostgreSQL service "none"')
  expect(await withService('postgres://db/docs', {})).toBe('postgres://db/docs')
})
