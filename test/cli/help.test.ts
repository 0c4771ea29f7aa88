import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generateManualPage } from '../../scripts/man/generate.ts'
import { loadCommands } from '../../src/cli/commands/index.ts'
import { TOPICS } from '../../src/cli/topics.ts'
import { runCommand } from '../support/cli.ts'

test.each([
  ['search-syntax', 'name:lease'],
  ['configuration', 'DOCSEARCH_RATE_LIMIT'],
  ['exit-codes', 'partly failed'],
])('help %s explains it', async (topic, text) => {
  expect(await runCommand(['help', topic])).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(text) })
  const json = JSON.parse((await runCommand(['--json', 'help', topic])).stdout) as { topic: string; text: string }
  expect(json).toMatchObject({ topic, text: expect.stringContaining(text) })
})

test('a page of help that is taller than the terminal goes to the pager, and fits its width', async () => {
  const { stdout, paged } = await runCommand(['help', 'configuration'], { terminal: 60, rows: 24, env: { NO_COLOR: '1' } })
  expect(stdout).toBe('')
  expect(paged[0]!.text).toContain('Server\n')
})

test('the help of every command fits 80 columns, except examples', async () => {
  const paths: string[][] = [[]]
  for (const command of await loadCommands()) {
    paths.push([command.name])
    if ('commands' in command) paths.push(...command.commands.map(({ name }) => [command.name, name]))
  }
  expect(paths.length).toBeGreaterThan(60)
  for (const path of paths) {
    const { stdout } = await runCommand([...path, '--help', '--no-pager'], { terminal: 80 })
    const isExample = (line: string) => line.startsWith('  $ ') || /^\s.*#/.test(line)
    expect(stdout.split('\n').filter((line) => line.length > 80 && !isExample(line))).toEqual([])
  }
})

test('help names every topic, and still shows commands', async () => {
  const { stdout } = await runCommand(['--help'])
  for (const topic of Object.keys(TOPICS)) expect(stdout).toContain(topic)
  expect((await runCommand(['help', 'search'])).stdout).toContain('Usage: docsearch search')
  expect((await runCommand(['help', 'constructor'])).code).toBe(2)
})

test('the manual page is up to date (if not: npm run generate), and has every command', async () => {
  const page = await generateManualPage()
  expect(readFileSync(new URL('../../man/docsearch.1', import.meta.url), 'utf8')).toBe(page)
  for (const command of await loadCommands())
    if (!('isHidden' in command && command.isHidden)) expect(page).toContain(`.SS "docsearch ${command.name}`)
})
