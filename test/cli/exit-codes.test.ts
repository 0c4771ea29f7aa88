import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../support/cli.ts'
import { problem, scriptedInstance } from '../support/scripted-instance.ts'
import { errorCode } from '../support/codes.ts'

async function against(answer: (response: ServerResponse) => void, args: string[] = ['search', 'x']) {
  const instance = await scriptedInstance({ 'POST /api/v1/search': (_: unknown, response: ServerResponse) => answer(response) })
  return runCommand(args, { env: { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x' } })
}

test.each([
  [400, errorCode('invalid_request'), 2],
  [401, errorCode('invalid_token'), 4],
  [403, errorCode('insufficient_scope'), 4],
  [404, errorCode('project_not_found'), 2],
  [429, errorCode('rate_limited'), 6],
  [500, errorCode('internal_error'), 7],
  [503, 'unavailable', 6],
  [507, errorCode('disk_full'), 7],
] as const)('an answer of %i %s ends with %i', async (status, code, exit) => {
  const run = await against((response) => problem(response, status, code, 'A sentence \u001b[31mthat helps.'))
  expect(run.code).toBe(exit)
  expect(run.stderr).toContain('docsearch: A sentence \ufffd[31mthat helps.')
})

test('--json prints an error as one object on standard error, wherever the flag is given', async () => {
  const failing = (response: ServerResponse) =>
    problem(
      response,
      400,
      errorCode('invalid_request'),
      'Not valid.',
      { errors: [{ path: 'limit', message: 'too big' }] },
      { 'Retry-After': '3' },
    )
  for (const args of [
    ['--json', 'search', 'x'],
    ['search', '--json', 'x'],
    ['search', 'x', '--json'],
  ]) {
    const run = await against(failing, args)
    expect(run.stdout).toBe('')
    expect(JSON.parse(run.stderr)).toEqual({
      code: errorCode('invalid_request'),
      message: 'Not valid.',
      status: 400,
      request_id: 'req_1',
      retry_after: 3,
      errors: [{ path: 'limit', message: 'too big' }],
      exit_code: 2,
    })
  }
})

test('names the command that helps, by the code of the error, and prints a single field error once', async () => {
  const run = await against((response) =>
    problem(response, 404, errorCode('project_not_found'), 'There is no project "x".', {
      errors: [{ path: 'project', message: 'There is no project "x".' }],
    }),
  )
  expect(run.stderr).toBe('docsearch: There is no project "x". `docsearch projects list` shows your projects.\n')
})

test('exits with 5 when the connection is refused, with or without a key', async () => {
  const env = { DOCSEARCH_SERVER: 'http://127.0.0.1:1' }
  expect((await runCommand(['search', 'x'], { env })).code).toBe(5)
  expect((await runCommand(['search', 'x'], { env: { ...env, DOCSEARCH_TOKEN: 'dsk_x' } })).code).toBe(5)
})

test('exits with 4 and says how to log in', async () => {
  const instance = await scriptedInstance({ 'GET /api/v1/health': { status: 'ok', version: '1' } })
  const run = await runCommand(['search', 'x', '--server', instance.url])
  expect(run.code).toBe(4)
  expect(run.stderr).toContain(`docsearch login ${instance.url}`)
})

test('exits with 7 when another server answers', async () => {
  const run = await against((response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>hello</html>'))
  expect(run.code).toBe(7)
})

test('a redirect is an error that names its target, and the credential is not sent there', async () => {
  const elsewhere = await scriptedInstance({})
  const run = await against((response) => response.writeHead(307, { Location: `${elsewhere.url}/api/v1/search` }).end())
  expect(run.code).toBe(2)
  expect(run.stderr).toContain(elsewhere.url)
  expect(elsewhere.requests).toEqual([])
})

test('Ctrl-C exits with 130', async () => {
  const controller = new AbortController()
  const instance = await scriptedInstance({ 'POST /api/v1/search': () => controller.abort() })
  const run = await runCommand(['search', 'x', '--server', instance.url], {
    signal: controller.signal,
    env: { DOCSEARCH_TOKEN: 'dsk_x' },
  })
  expect(run.code).toBe(130)
})

describe('wrong usage exits with 2 and says what is wrong', () => {
  test.each([
    [['serach'], 'Did you mean search?'],
    [['search', 'x', '--limit', '0'], 'from 1 to 100'],
    [['search', 'x', '--mode', 'fuzzy'], 'hybrid'],
    [['search', 'x', '--server', 'ftp://x'], 'not the address'],
    [['search', 'x', '--profile', 'nowhere'], 'There is no profile "nowhere"'],
    [['upload'], 'Missing path.'],
    [['upload', '-'], '--name'],
    [['upload', '/no/such/file.pdf'], 'no such file'],
    [['login', '--with-token', '--device'], 'cannot be used with'],
    [['projects', 'show'], 'missing required argument'],
    [['projects', 'lst'], "unknown command 'projects lst'. Use one of: list, show, create"],
    [['help', 'nope'], 'Missing or unknown command. Run `docsearch --help`'],
    [['--quiet'], 'Missing or unknown command.'],
    [['login', 'http://127.0.0.1:1', 'dsk_secret0'], 'too many arguments'],
    [['reindex', '--data', '/no/such/folder'], 'is not a docsearch data folder'],
  ])('%j', async (args, sentence) => {
    const run = await runCommand(args)
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(sentence)
    expect(run.stderr).not.toMatch(/outputHelp|dsk_secret0/)
  })
})

test('every --help lists every exit code on standard output and exits with 0', async () => {
  const commands = [
    '',
    'serve',
    'login',
    'logout',
    'whoami',
    'upload',
    'search',
    'open',
    'projects',
    'documents',
    'keys',
    'completion',
    'reindex',
    'users',
    'clients',
  ]
  const verbs = [
    'projects list',
    'projects show',
    'projects create',
    'projects rename',
    'projects delete',
    'projects take-over',
    'keys list',
    'keys create',
    'keys delete',
  ]
  const more = ['documents list', 'documents show', 'documents get', 'documents text', 'documents delete', 'documents reprocess']
  const administration = [
    ...['add', 'list', 'show', 'disable', 'enable', 'reset', 'delete'].map((verb) => `users ${verb}`),
    ...['create', 'list', 'show', 'rotate', 'delete'].map((verb) => `clients ${verb}`),
  ]
  for (const command of [...commands, ...verbs, ...more, ...administration]) {
    const run = await runCommand([...command.split(' ').filter(Boolean), '--help'])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 130]) expect(run.stdout, command).toMatch(new RegExp(`^  ${code} `, 'm'))
    expect(run.stdout, command).toContain('Examples:')
  }
})
