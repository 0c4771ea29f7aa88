import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { makePdf } from '../support/make-documents.ts'
import { rest } from '../support/rest.ts'
import { PASSWORD, webClient, type WebClient } from '../support/web-client.ts'

// Runs the README's examples in order, with the real binary.

let daemon: RealDaemon
let home: string
const cli = (...args: string[]) => runCli(args, daemon.env)
beforeAll(async () => {
  daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  home = join(daemon.dataDir, '..')
  const folder = join(home, 'Contracts')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'lease.pdf'),
    await makePdf([
      [{ heading: 'Residential lease' }],
      [{ heading: 'Repairs' }, { text: 'The landlord repairs whatever breaks.' }],
      [{ heading: 'Rent' }, { text: 'The rent is due on the third working day of each month.' }],
    ]),
  )
  writeFileSync(join(folder, 'notes.txt'), 'The deposit is three rents.')
})
afterAll(() => daemon?.dispose())

/** Opens a one-time link, chooses a password, and returns a browser that is logged in. */
async function enter(link: string, account: Record<string, string>): Promise<WebClient> {
  const browser = webClient({ url: daemon.url, baseUrl: daemon.url })
  const { pathname, search } = new URL(link)
  const chosen = { ...account, password: PASSWORD, password_again: PASSWORD }
  expect((await browser.submit(await browser.get(pathname + search), '/setup', chosen)).status).toBe(303)
  return browser
}

test('in the terminal: upload, sync, search and read', async () => {
  const folder = join(home, 'Contracts')
  expect((await cli('upload', folder, '--recursive', '--project', 'contracts', '--wait')).code).toBe(0)
  writeFileSync(join(folder, 'notes.txt'), 'The deposit is two rents.')
  expect(await cli('sync', folder, '--project', 'contracts')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('0 new, 1 changed, 0 renamed, 0 gone, 1 unchanged') as string,
  })
  const found = await cli('search', 'when', 'is', 'the', 'rent', 'due')
  expect(found.code).toBe(0)
  expect(found.stdout).toMatch(/^Contracts\/lease\.pdf:3:.*third working day/m)
  expect((await cli('search', 'zeppelin')).code).toBe(1)
  expect((await cli('search', '"third working day"', '--project', 'contracts', '--group')).stdout).toContain('lease.pdf:3:')
  expect(await cli('documents', 'text', 'lease.pdf', '--page', '2')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The landlord repairs whatever breaks.') as string,
  })
  expect((await cli('documents', 'list', '--status', 'failed')).code).toBe(1)
})

test('for programs: a key for the command line and for REST', async () => {
  const made = await cli('keys', 'create', 'scripts', '--scope', 'read:documents', '--scope', 'write:documents', '--json')
  const { key } = JSON.parse(made.stdout) as { key: string }
  expect(key).toMatch(/^dsk_[A-Za-z0-9]{36}$/)
  const env = { ...daemon.env, DOCSEARCH_TOKEN: key }
  const manual = join(home, 'manual.txt')
  writeFileSync(manual, 'Press the red button to open the valve.')
  expect((await runCli(['upload', manual, '--project', 'manuals', '--wait', '--json'], env)).code).toBe(0)
  expect((await runCli(['search', 'red button', '--format', 'jsonl'], env)).stdout).toContain('"path":"manual.txt"')
  expect((await runCli(['keys', 'list'], env)).code).toBe(4)

  const { call, upload } = rest(daemon.url, key)
  const { status, body } = await upload([{ name: 'report.txt', content: 'The harbour was dredged.' }], {
    project: 'reports',
    wait: true,
  })
  expect([status, body.documents[0]!.status]).toEqual([200, 'ready'])
  const answer = await call<SearchAnswer>('POST', '/api/v1/search', { query: 'dredged', limit: 3 })
  expect(answer.body.results.map(({ document }) => document.name)).toEqual(['report.txt'])
  expect((await rest(daemon.url, 'dsk_wrong').call('GET', '/api/v1/me')).status).toBe(401)
})

test('in the browser: the owner logs in, and another user sees what is shared', async () => {
  const olga = await enter(daemon.setupUrl!, { name: 'Olga', email: 'olga@example.org' })
  for (const path of ['/', '/documents', '/upload', '/projects', '/settings/profile', '/settings/api-keys'])
    expect([path, (await olga.get(path)).status]).toEqual([path, 200])
  const page = await olga.get('/?q=when+is+the+rent+due')
  expect(page.text).toContain('third working day')

  const { stdout } = await cli('users', 'add', 'ada@example.org', '--json')
  const ada = await enter((JSON.parse(stdout) as { invitation_url: string }).invitation_url, { name: 'Ada' })
  expect((await ada.get('/?q=when+is+the+rent+due')).text).not.toContain('third working day')
  expect((await cli('projects', 'members', 'add', 'contracts', 'ada@example.org')).code).toBe(0)
  expect((await ada.get('/?q=when+is+the+rent+due')).text).toContain('third working day')
  expect((await ada.get('/?q=dredged')).text).not.toContain('The harbour was dredged')
})

test('a backup, its restore, and the doctor of both instances', async () => {
  const [target, copy] = [join(home, 'backup'), join(home, 'copy', 'instance')]
  // Create the key first, so that the backup contains it.
  const token = await daemon.token()
  expect((await cli('backup', target)).code).toBe(0)
  expect((await cli('backup', 'verify', target)).code).toBe(0)
  expect((await cli('restore', target, '--data', copy)).code).toBe(0)
  const restored = await startRealDaemon({ home: join(home, 'copy'), env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  const { settled, search } = rest(restored.url, token)
  await settled()
  const { results } = await search('when is the rent due')
  expect([results[0]?.document.name, results[0]?.chunk.page_start]).toEqual(['lease.pdf', 3])
  await restored.stop()
  expect((await cli('doctor')).code).toBe(0)
  expect((await runCli(['doctor', '--data', copy], restored.env)).code).toBe(0)
})
