import { expect, test } from 'vitest'
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

test('takes a media type that this version does not know, and refuses what is none', async () => {
  expect((await list('--type', 'image/png')).asked).toEqual([{ limit: '100', media_type: 'image/png' }])
  const refused = await list('--type', 'spreadsheet')
  expect(refused).toMatchObject({ code: 2, asked: [] })
  expect(refused.stderr).toContain('It must be pdf, docx, text, markdown, html, or a media type such as application/pdf.')
})
