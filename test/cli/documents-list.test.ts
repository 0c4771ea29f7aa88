import { expect, test } from 'vitest'
import { FORMAT_IDS } from '../../src/core/formats.ts'
import { runCommand } from '../support/cli.ts'
import { scriptedInstance } from '../support/scripted-instance.ts'

async function list(...args: string[]) {
  const instance = await scriptedInstance({ 'GET /api/v1/documents': { documents: [], next_cursor: null } })
  const env = { DOCSEARCH_TOKEN: 'dsk_x' }
  const run = await runCommand(['documents', 'list', ...args, '--server', instance.url], { env })
  return { ...run, asked: instance.requests.map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams)) }
}

test('lists by the beginning of the path, by tag and by type', async () => {
  const { asked } = await list('--path', 'a b/', '--tag', 'x&y', '--type', 'PDF')
  expect(asked).toEqual([{ limit: '100', path_prefix: 'a b/', tag: 'x&y', media_type: 'application/pdf' }])
})

test('takes several tags and types, as a search does', async () => {
  const instance = await scriptedInstance({ 'GET /api/v1/documents': { documents: [], next_cursor: null } })
  const args = 'documents list --tag draft --tag 2026 --type pdf --type text --server'.split(' ')
  await runCommand([...args, instance.url], { env: { DOCSEARCH_TOKEN: 'dsk_x' } })
  expect(instance.requests.map(({ path }) => path.split('?')[1])).toEqual([
    'tag=draft&tag=2026&media_type=application%2Fpdf&media_type=text%2Fplain&limit=100',
  ])
})

test('takes a media type that this version does not know, and refuses other words', async () => {
  expect((await list('--type', 'image/png')).asked).toEqual([{ limit: '100', media_type: 'image/png' }])
  const refused = await list('--type', 'spreadsheet')
  expect(refused).toMatchObject({ code: 2, asked: [] })
  expect(refused.stderr).toContain(`It must be ${FORMAT_IDS.join(', ')}, or a media type such as application/pdf.`)
})

test('lists by the time of the upload', async () => {
  const { asked } = await list('--after', '2026-01-01T00:00:00Z', '--before', '2026-02-01T00:00:00Z')
  expect(asked).toEqual([{ limit: '100', created_after: '2026-01-01T00:00:00.000Z', created_before: '2026-02-01T00:00:00.000Z' }])
})

test('sorts, and reverses the usual order', async () => {
  expect((await list('--sort', 'size')).asked).toEqual([{ limit: '100', sort: 'size' }])
  expect((await list('--sort', 'name', '--reverse')).asked).toEqual([{ limit: '100', sort: 'name', order: 'desc' }])
  expect((await list('--reverse')).asked).toEqual([{ limit: '100', order: 'asc' }])
  expect((await list('--sort', 'colour')).code).toBe(2)
})
