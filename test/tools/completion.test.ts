import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { generateCompletions } from '../../scripts/completions/generate.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import { scriptedInstance } from '../support/scripted-instance.ts'

const folder = fileURLToPath(new URL('../../completions/', import.meta.url))
const completions = await generateCompletions()

test.each(Object.entries(completions))('completions/%s is up to date (if not: npm run generate)', (name, text) => {
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
})

test.each(['bash', 'zsh', 'fish'])('docsearch completion %s prints the script', async (shell) => {
  const { stdout, code } = await runCommand(['completion', shell])
  expect(code).toBe(0)
  expect(Object.values(completions)).toContain(stdout)
})

test('__complete prints project names, and nothing without an instance', async () => {
  const instance = await scriptedInstance({
    'GET /api/v1/projects': { projects: [{ name: 'contracts' }, { name: 'my \u001bpapers' }], next_cursor: null },
  })
  const run = await runCommand(['__complete', 'projects'], { env: { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x' } })
  expect(run).toMatchObject({ code: 0, stdout: 'contracts\nmy \ufffdpapers\n', stderr: '' })
  const none = await runCommand(['__complete', 'projects'], {
    env: { DOCSEARCH_SERVER: 'http://127.0.0.1:1', DOCSEARCH_TOKEN: 'dsk_x' },
  })
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: '' })
})

describe('in a real bash', () => {
  const complete = (...words: string[]): string[] => completeLine(words.join(' '), ...words)
  const completeLine = (line: string, ...words: string[]): string[] => {
    const home = testFolder()
    // One name contains a command, which a careless script would run.
    writeFileSync(
      join(home, 'docsearch'),
      `#!/bin/sh\n[ "$*" = '__complete projects' ] || { echo "from $*"; exit; }\nprintf '%s\\n' 'contracts' 'two words' '$(touch ${home}/ran)'\n`,
    )
    chmodSync(join(home, 'docsearch'), 0o755)
    const script = `source "$1/docsearch.bash"; shift; COMP_LINE="$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _docsearch; printf '%s\\n' "\${COMPREPLY[@]}"; ls "$HOME"`
    const output = execFileSync('bash', ['-c', script, 'bash', folder, line, ...words], {
      encoding: 'utf8',
      env: { PATH: `${home}:${process.env['PATH']}`, HOME: home },
    })
    const lines = output.trim().split('\n')
    expect(lines.pop()).toBe('docsearch')
    return lines.filter((line) => line !== '')
  }

  test('completes commands, verbs, flags and choices', () => {
    expect(complete('docsearch', 'se')).toEqual(['serve', 'search'])
    expect(complete('docsearch', 'projects', 're')).toEqual(['rename'])
    expect(complete('docsearch', '--server', 'serve', 'docs', 'te')).toEqual(['text'])
    expect(complete('docsearch', 'search', 'x', '--mo')).toEqual(['--mode'])
    expect(complete('docsearch', 'search', '--mode', '')).toEqual(['hybrid', 'vector', 'keyword'])
    expect(complete('docsearch', 'documents', 'list', '--type', 'ht')).toEqual(['html'])
    expect(complete('docsearch', 'search', '--sort', '')).toEqual(['relevance', 'newest', 'name'])
    expect(complete('docsearch', 'search', '--mode', '=', 'k')).toEqual(['keyword'])
    expect(complete('docsearch', 'completion', 'f')).toEqual(['fish'])
    expect(complete('docsearch', '__')).toEqual([])
  })

  test('completes project names quoted, and never runs them', () => {
    expect(complete('docsearch', 'upload', '--project', 'co')).toEqual(['contracts'])
    expect(complete('docsearch', 'projects', 'show', '')).toEqual([
      'contracts',
      'two\\ words',
      expect.stringMatching(/^\\\$\\\(touch/),
    ])
  })

  test('asks the instance that the command line names', () => {
    const words = ['docsearch', '--server', 'http', ':', '//a.test', ':', '1', 'projects', 'show', '']
    expect(completeLine('docsearch --server http://a.test:1 projects show ', ...words)).toEqual([
      'from\\ --server\\ http://a.test:1\\ __complete\\ projects',
    ])
    const profile = ['docsearch', 'upload', '--profile', '=', 'work', '-p', '']
    expect(completeLine('docsearch upload --profile=work -p ', ...profile)).toEqual([
      'from\\ --profile\\ work\\ __complete\\ projects',
    ])
  })
})

describe.each(['zsh', 'fish'])('%s', (shell) => {
  const there = isThere(shell)
  test.skipIf(!there)('accepts the script', () => {
    const file = join(folder, shell === 'zsh' ? '_docsearch' : 'docsearch.fish')
    execFileSync(shell, shell === 'zsh' ? ['-fn', file] : ['--no-execute', file], { stdio: 'pipe' })
  })
})

test.skipIf(!isThere('fish'))('fish completes choices, and no files for commands without file arguments', () => {
  const output = execFileSync(
    'fish',
    ['-c', `source ${folder}/docsearch.fish; complete -C 'docsearch search --mode '; complete -C 'docsearch projects re'`],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: testFolder() },
    },
  )
  expect(output.split('\n').map((line) => line.split('\t')[0])).toEqual(['hybrid', 'keyword', 'vector', 'rename', ''])
})

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['-c', 'true'])
    return true
  } catch {
    return false // Not installed. The tests that need the shell are skipped.
  }
}
