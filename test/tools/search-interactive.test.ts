import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testFolder } from '../support/cli.ts'
import { cleanEnv } from '../support/daemon.ts'
import { answerWith, json, type Received, result, scriptedInstance, uploaded } from '../support/scripted-instance.ts'
import { hasTmux, onTerminal } from '../support/tmux.ts'
import { until } from '../support/until.ts'

const ESC = '\u001b'
const PDF = Buffer.from('%PDF-1.7')

/** Answers with results named after the query, and holds back the answers to some queries. */
async function instance(held: Record<string, Promise<unknown>> = {}) {
  const queries: Record<string, unknown>[] = []
  const { url } = await scriptedInstance({
    'POST /api/v1/search': async ({ body }: Received, response: ServerResponse) => {
      const request = JSON.parse(body.toString()) as Record<string, unknown> & { query: string }
      queries.push(request)
      await held[request.query]
      json(response, 200, answerWith(Array.from({ length: 9 }, (_, i) => hit(request.query, i + 1))))
    },
    'GET /api/v1/documents/doc_3': uploaded('doc_3', 'three.pdf', {
      media_type: 'application/pdf',
      sha256: createHash('sha256').update(PDF).digest('hex'),
    }),
    'GET /api/v1/documents/doc_3/content': (_: unknown, response: ServerResponse) => response.end(PDF),
  })
  return { url, queries }
}

function hit(query: string, rank: number) {
  const text = `${'Words before it. '.repeat(60)}Passage ${rank} about ${query}${ESC}[2J. ${'Words after it. '.repeat(60)}`
  const at = text.indexOf('about')
  const name = `contracts/2026/northern-region/${query}-${rank}${ESC}]0;x.pdf`
  const one = result({ rank, name, text, highlights: [[at, at + 5]] })
  return { ...one, document: { ...one.document, id: `doc_${rank}` } }
}

/** Programs that open nothing: each writes its arguments to a file. */
function environment(url: string): { env: Record<string, string>; opened: string } {
  const home = testFolder()
  const opened = join(home, 'opened')
  for (const [name, script] of [
    ['xdg-mime', 'echo org.gnome.Evince.desktop'],
    ['evince', `echo "$@" > ${opened}.part; mv ${opened}.part ${opened}`],
  ] as const) {
    writeFileSync(join(home, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(home, name), 0o755)
  }
  const env = cleanEnv(home, { DOCSEARCH_SERVER: url, DOCSEARCH_TOKEN: 'dsk_x', XDG_CACHE_HOME: home })
  return { env: { ...env, PATH: `${home}:${env['PATH']}` }, opened }
}

describe.skipIf(!hasTmux)('search without a query on a terminal', () => {
  test.each([
    [50, 12],
    [80, 24],
    [200, 50],
  ])('finds while the user types, moves, and opens at the page (%i × %i)', async (columns, rows) => {
    const { url, queries } = await instance()
    const { env, opened } = environment(url)
    const screen = await onTerminal(['search', '--project', 'letters', '--tag', 'signed'], env, { columns, rows })
    await until('the prompt', async () => (await screen.shown()).startsWith('Search:'))
    await screen.type('rent')
    const found = await until('results', async () => (await screen.shown()).includes('❯ 1. ') && screen.shown())
    const lines = found.split('\n')
    expect(lines[0]).toBe('Search: rent')
    expect(lines.length).toBeLessThan(rows)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns)
    expect(lines[2]).toMatch(/^❯ 1\. contracts.*pdf · page 2/)
    expect(found).toContain('Passage 1 about rent\ufffd[2J.')
    expect(found).not.toContain(ESC)
    expect(queries.at(-1)).toEqual({ query: 'rent', project: 'letters', filter: { tags: ['signed'] } })

    await screen.press('Down', 'Down', 'Down', 'Up')
    const moved = await until('the third result', async () => (await screen.shown()).includes('❯ 3. ') && screen.shown())
    expect(moved).toContain('Passage 3 about rent')
    expect(moved.split('\n')[0]).toBe('Search: rent')

    await screen.press('Enter')
    await until('the end', async () => (await screen.shown()).includes('exit 0'))
    await until('the viewer', () => existsSync(opened))
    expect(readFileSync(opened, 'utf8')).toMatch(/^--page-index=2 .*three\.pdf\n$/)
  })

  test('drops the answers to older queries', async () => {
    const held = Promise.withResolvers<void>()
    const { url, queries } = await instance({ old: held.promise })
    const screen = await onTerminal(['search'], environment(url).env)
    await until('the prompt', async () => (await screen.shown()).startsWith('Search:'))
    await screen.type('old')
    await until('the first request', () => queries.some(({ query }) => query === 'old'))
    await screen.press('C-u')
    await screen.type('new')
    await until('the second answer', async () => (await screen.shown()).includes('about new'))
    held.resolve()
    await screen.type('er')
    const shown = await until('the third answer', async () => (await screen.shown()).includes('about newer') && screen.shown())
    expect(shown).not.toContain('old')
  })

  test.each([
    ['Escape', 'exit 0'],
    ['C-c', 'exit 130'],
  ])('%s ends it with %s', async (key, end) => {
    const screen = await onTerminal(['search'], environment((await instance()).url).env)
    await until('the prompt', async () => (await screen.shown()).startsWith('Search:'))
    await screen.press(key)
    await until(end, async () => (await screen.shown()).includes(end))
  })

  test('shows that the instance can’t be reached, and goes on', async () => {
    const { env } = environment('http://127.0.0.1:9')
    const screen = await onTerminal(['search'], env, { columns: 50, rows: 12 })
    await until('the prompt', async () => (await screen.shown()).startsWith('Search:'))
    await screen.type('rent')
    await until('the error', async () => (await screen.shown()).includes('Cannot reach http://127.0.0.1:9'))
    await screen.press('Enter')
    await screen.type(' due')
    await until('what was typed', async () => (await screen.shown()).startsWith('Search: rent due'))
    await screen.press('Escape')
    await until('the end', async () => (await screen.shown()).includes('exit 0'))
  })
})
