import { describe, expect, test } from 'vitest'
import { runCommand, type CliOptions } from '../support/cli.ts'
import { answerWith, result, scriptedInstance } from '../support/scripted-instance.ts'

describe('the pager', () => {
  const many = Array.from({ length: 20 }, (_, i) => ({ ...result(), rank: i + 1 }))
  async function paged(options: CliOptions, ...args: string[]) {
    const { url } = await scriptedInstance({ 'POST /api/v1/search': answerWith(many) })
    const env = { DOCSEARCH_TOKEN: 'dsk_x', DOCSEARCH_SERVER: url, ...options.env }
    return runCommand(['search', 'rent', ...args], { terminal: 80, rows: 24, ...options, env })
  }

  test('shows results that are taller than the terminal', async () => {
    const run = await paged({})
    expect(run.stdout).toBe('')
    expect(run.paged).toEqual([{ command: 'less', text: expect.stringMatching(/^1\.  .*^20\. /ms) }])
    expect((await paged({ rows: 2000 })).paged).toEqual([])
    expect((await paged({ env: { TERM: 'dumb' } })).paged).toEqual([])
  })

  test('is chosen by DOCSEARCH_PAGER, then PAGER', async () => {
    const env = { DOCSEARCH_PAGER: 'most -w', PAGER: 'more' }
    expect((await paged({ env })).paged[0]!.command).toBe('most -w')
    expect((await paged({ env: { PAGER: 'more' } })).paged[0]!.command).toBe('more')
    expect((await paged({ env: { ...env, DOCSEARCH_PAGER: '' } })).paged).toEqual([])
    expect((await paged({ env: { PAGER: 'cat' } })).paged).toEqual([])
  })

  test('is left out with --no-pager, with --json and on a pipe', async () => {
    expect(await paged({}, '--no-pager')).toMatchObject({ paged: [], stdout: expect.stringContaining('20. ') })
    expect((await paged({}, '--json')).paged).toEqual([])
    expect((await paged({ terminal: undefined })).paged).toEqual([])
  })
})
