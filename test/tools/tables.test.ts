import { beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '../../src/contract/projects.ts'
import { startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { rest } from '../support/rest.ts'
import { hasTmux, onTerminal } from '../support/tmux.ts'
import { until } from '../support/until.ts'

const WIDTHS = [50, 80, 200]
const LONG = 'minutes of the annual general meeting of all members.txt'

/** A field whose value is one word, such as a path or a hash. It is never broken, because people copy it. */
const COPIED = /^\w+( \w+)* {2,}\S+$/

/** Commands that print a table or results, each with what must be legible at every width. */
const COMMANDS: Record<string, { args: string[]; shows: string[] }> = {
  search: { args: ['search', 'rent working day'], shows: ['lease.txt', 'third working day'] },
  'search --full': { args: ['search', 'rent working day', '--full'], shows: ['lease.txt', 'third working day'] },
  'documents list': { args: ['documents', 'list'], shows: ['lease.txt', 'minutes o'] },
  'documents list --trashed': { args: ['documents', 'list', '--trashed'], shows: ['old.txt'] },
  'documents show': { args: ['documents', 'show', 'lease.txt'], shows: ['lease.txt', 'ready'] },
  'projects list': { args: ['projects', 'list'], shows: ['default', 'contracts of th'] },
  'projects members list': { args: ['projects', 'members', 'list', 'contracts of the firm'], shows: ['manager'] },
  'keys list': { args: ['keys', 'list'], shows: ['Nightly upl'] },
  'users list': { args: ['users', 'list'], shows: ['ida@example.org'] },
  'models list': { args: ['models', 'list'], shows: ['builtin'] },
  'synonyms list': { args: ['synonyms', 'list', '--project', 'contracts of the firm'], shows: ['lease', 'tenancy'] },
  'webhooks list': { args: ['webhooks', 'list', '--project', 'contracts of the firm'], shows: ['https://ex'] },
  audit: { args: ['audit'], shows: ['20', 'document', 'lease.txt'] },
  whoami: { args: ['whoami'], shows: ['owner'] },
}

describe.skipIf(!hasTmux)('on a terminal', () => {
  let daemon: RealDaemon
  beforeAll(async () => {
    daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
    const api = rest(daemon.url, await daemon.token())
    await api.upload([{ name: 'lease.txt', content: 'The rent is due on the third working day of each month.' }], { wait: true })
    await api.upload([{ name: LONG, content: 'Everybody was there.' }], { wait: true })
    const old = await api.upload([{ name: 'old.txt', content: 'Nobody needs it.' }], { wait: true })
    await api.call('DELETE', `/api/v1/documents/${old.body.documents[0]!.id}`)
    const { body: project } = await api.call<Project>('POST', '/api/v1/projects', { name: 'contracts of the firm' })
    for (const [path, body] of [
      [`/api/v1/projects/${project.id}/synonyms`, { synonyms: [{ words: ['lease', 'tenancy'] }] }],
      [`/api/v1/projects/${project.id}/webhooks`, { url: 'https://example.com/a/rather/long/address?token=0123456789abcdef' }],
      ['/api/v1/keys', { name: 'Nightly upload', scopes: ['read:documents'] }],
      ['/api/v1/users', { email: 'ida@example.org', name: 'Ida with a name that is rather long' }],
    ] as const)
      expect((await api.call('POST', path, body)).status).toBeLessThan(300)
    return () => daemon.dispose()
  })

  describe.each(Object.keys(COMMANDS))('%s', (name) => {
    test.each(WIDTHS)('fits %i columns', async (columns) => {
      const { args, shows } = COMMANDS[name]!
      const screen = await onTerminal([...args, '--no-pager'], daemon.env, { columns, rows: 100 })
      await until('the end', async () => (await screen.written()).includes('exit 0'))
      const lines = await screen.written()
      expect(lines.filter((line) => line.length > columns && !COPIED.test(line))).toEqual([])
      const text = lines.join(' ').replaceAll(/\s+/g, ' ')
      for (const part of shows) expect(text).toContain(part)
    })
  })
})
