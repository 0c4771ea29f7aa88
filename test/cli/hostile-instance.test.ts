import { readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadCommands } from '../../src/cli/commands/index.ts'
import type { Command, Noun } from '../../src/cli/define.ts'
import type { Prompts } from '../../src/cli/io.ts'
import { readSources } from '../support/sources.ts'
import { runCommand, testFolder, type CliRun } from '../support/cli.ts'
import {
  answerWith,
  json,
  problem,
  result,
  scriptedInstance,
  uploaded,
  type Received,
  type Script,
} from '../support/scripted-instance.ts'

/** A title, a cursor move, a CSI and an OSC of one byte, a reversed direction, and a line that looks like one of docsearch. */
const EVIL =
  '\u001b]0;owned\u0007\u001b[2J\u009b31m\u009d8;;http://evil\u009c\u202egnp\u2066\u200f\u0008\r\ndocsearch: forged\u007f'
/** Characters that no output may contain after the colours and cursor moves of docsearch are removed. */
// oxlint-disable-next-line no-control-regex -- the control characters are what the test looks for
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/
// oxlint-disable-next-line no-control-regex -- see above
const OURS = /\r?\u001b\[(?:\d{1,2}m|K|\d+A\u001b\[J)|\u001b\]8;;(?:http:\/\/127\.0\.0\.1:[\x21-\x7e]*)?\u001b\\/g

const NUMBERS = { document_count: 1, chunk_count: 1, size_bytes: 1 }
const AT = '2026-01-01T00:00:00.000Z'

/** Puts the sequence behind every string, except what the command line compares or checks before it prints it. */
function poisoned<T>(value: T, kept: readonly string[] = []): T {
  if (typeof value === 'string') return `${value}${EVIL}` as T
  if (Array.isArray(value)) return value.map((one: unknown) => poisoned(one, kept)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, kept.includes(name) ? (one as unknown) : poisoned(one as unknown, kept)]),
  ) as T
}

const PROJECT = {
  id: 'prj_1',
  name: 'default',
  description: 'all',
  role: 'manager',
  owner: { id: 'usr_1', name: 'Ada' },
  ...NUMBERS,
  statuses: { queued: 1, processing: 0, ready: 1, failed: 1 },
  created_at: AT,
  updated_at: AT,
}
const KEY = {
  id: 'key_1',
  name: 'ci',
  scopes: ['read:documents'],
  projects: [{ id: 'prj_1', name: 'p' }],
  last_four: 'abcd',
  created_at: AT,
  last_used_at: AT,
  expires_at: AT,
}
const WEBHOOK = {
  id: 'whk_1',
  url: 'https://example.com/hook',
  description: 'for the index',
  events: ['document.ready'],
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  failing_since: AT,
  waiting: 1,
  created_at: AT,
  updated_at: AT,
}
const DELIVERY = {
  id: 'msg_1',
  type: 'document.ready',
  document: { id: 'doc_1', name: 'a.txt' },
  state: 'failed',
  attempts: [{ time: AT, status: null, error: { code: 'timeout', message: 'It took long' }, took_ms: 1 }],
  created_at: AT,
  next_attempt_at: AT,
}
const SYNONYM = { id: 'syn_1', words: ['#tree', 'oak'], expands_to: ['elm'], created_at: AT }
const EVENT = {
  id: 'aud_1',
  time: AT,
  action: 'member.change',
  actor: { id: 'usr_1', name: 'Ada', email: 'ada@example.org' },
  user: { id: 'usr_2', name: 'Bob', email: null },
  project: { id: 'prj_1', name: 'p' },
  address: '192.0.2.1',
  credential: { kind: 'key', id: 'key_1', name: 'ci', last_four: 'abcd' },
  details: { role: 'writer', scopes: ['a', 'b'] },
}
const USER = {
  id: 'usr_1',
  email: 'ada@example.org',
  name: 'Ada',
  role: 'member',
  disabled: false,
  has_password: false,
  created_at: AT,
  last_login_at: AT,
  documents_deleted: 1,
  invitation_url: 'http://127.0.0.1/setup?token=x',
  invitation_expires_at: AT,
}
const APPLICATION = {
  client_id: 'app_1',
  name: 'Notes',
  type: 'public',
  redirect_uris: ['https://notes.example/callback'],
  scopes: ['read:documents'],
  secrets: [{ last_four: 'abcd', created_at: AT, expires_at: AT }],
  client_secret: 'dss_x',
  old_secrets_expire_at: AT,
  created_at: AT,
  updated_at: AT,
}
const WARNING = { code: 'page_without_text', message: 'No text', page: 1 }
const READY = uploaded('doc_00000000000000000000000001', 'a.txt', {
  status: 'ready',
  warnings: [WARNING],
  page_count: 1,
  chunk_count: 1,
  title: 'A',
  tags: ['x'],
})
const FAILED = uploaded('doc_00000000000000000000000002', 'b.txt', {
  status: 'failed',
  error: { code: 'encrypted', message: 'It has a password' },
})
const ME = {
  user: { id: 'usr_1', name: 'Ada', email: 'ada@example.org', role: 'owner' },
  scopes: ['read:documents'],
  authentication: { method: 'api_key', id: 'key_1', name: 'ci' },
  expires_at: AT,
}
const TESTED_MODEL = {
  model: 'ollama:m',
  known: false,
  dimensions: 384,
  passage_tokens: 252,
  tokens_per_second: 850.5,
  seconds_for_all: 700,
  checks: [{ check: 'meaning', result: 'failed', message: 'It finds nothing.' }],
}
const MODEL = {
  name: 'builtin',
  available: true,
  in_use: true,
  known: true,
  dimensions: 8,
  size_bytes: 1,
  indexes: [
    { state: 'building', chunks: 1, size_bytes: 1, created_at: AT, documents_done: 1, documents_total: 2, waiting_for: 'Ollama' },
  ],
}

function pull(_: Received, response: ServerResponse): void {
  const lines = [
    { status: `pulling${EVIL}`, completed_bytes: 1, total_bytes: 2 },
    { status: 'success', completed_bytes: 2, total_bytes: 2 },
  ]
  response
    .writeHead(200, { 'Content-Type': 'application/x-ndjson' })
    .end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

const REPORT = {
  status: 'findings',
  checks: [{ name: 'originals', status: 'findings', message: 'One is damaged' }],
  findings: [
    {
      code: 'original_damaged',
      severity: 'error',
      message: 'It is damaged',
      advice: 'Upload it again',
      place: 'blobs/ab/cd',
      documents: [{ id: 'doc_1', project: 'p', path: 'a.txt' }],
      fixed: 'Nothing could be done',
      repaired: false,
    },
  ],
}

function examination(_: Received, response: ServerResponse): void {
  const lines = [
    { progress: { check: 'originals', done: 1, total: 2, unit: 'bytes' } },
    { report: poisoned(REPORT, ['status', 'severity']) },
  ]
  response
    .writeHead(200, { 'Content-Type': 'application/x-ndjson' })
    .end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

function backup(_: Received, response: ServerResponse): void {
  response
    .writeHead(200, { 'Content-Type': 'application/x-tar', 'Content-Disposition': 'attachment; filename="../evil"' })
    .end(EVIL)
}

const STATUS = {
  status: 'degraded',
  version: '1',
  uptime_s: 1,
  checks: {
    index: { status: 'degraded', message: 'It is damaged' },
    embedder: { status: 'ok', message: 'fine', model: 'm' },
    reranker: { status: 'ok', message: 'fine' },
  },
  documents: { queued: 1, processing: 1, ready: 1, failed: 1 },
  instance: null,
}

function original(_: Received, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Disposition': 'attachment; filename="../../evil"' }).end(EVIL)
}

/** An instance that answers every call of the command line as well as it can, with the sequence in every string. */
function hostile(): Promise<{ url: string }> {
  const results = [result(), { ...result({ rank: 2 }), also_in: [{ id: 'doc_3', name: 'c.txt', page_start: 1 }] }]
  const answer = answerWith(results, {
    mode: 'keyword',
    mode_reason: 'No embedder',
    corrected_query: 'rent',
    pending_documents: 1,
  })
  const script: Script = {
    'POST /api/v1/search': poisoned({ ...answer, correction_reason: 'Spelling correction stopped' }, ['url']),
    'GET /api/v1/projects': { projects: [PROJECT, { ...PROJECT, name: 'other' }].map((one) => poisoned(one)), next_cursor: null },
    'POST /api/v1/projects': poisoned(PROJECT),
    'GET /api/v1/projects/p': poisoned(PROJECT),
    'PATCH /api/v1/projects/p': poisoned(PROJECT),
    [`PATCH /api/v1/projects/${encodeURIComponent(`prj_1${EVIL}`)}`]: poisoned(PROJECT),
    [`DELETE /api/v1/projects/${encodeURIComponent(`prj_1${EVIL}`)}`]: { documents_deleted: 1 },
    'DELETE /api/v1/projects/p': { documents_deleted: 1 },
    'GET /api/v1/projects/p/members': { members: [USER, USER].map((user) => poisoned({ user, role: 'reader' })) },
    'PUT /api/v1/projects/p/members/u': poisoned({ user: USER, role: 'reader', invitation_url: 'http://127.0.0.1/x' }),
    'DELETE /api/v1/projects/p/members/u': {},
    'POST /api/v1/documents/doc_00000000000000000000000001/restore': poisoned(READY, ['status', 'id']),
    'DELETE /api/v1/documents/doc_00000000000000000000000001': {},
    'POST /api/v1/upload/plan': (request: Received, response: ServerResponse) => {
      const isRefused = request.body.includes('on_conflict')
      const error = isRefused ? { code: 'document_exists', message: `It exists${EVIL}` } : null
      json(response, 200, { files: [{ path: 'a.txt', state: 'changed', is_needed: !isRefused, error, document: null }] })
    },
    'POST /api/v1/upload': poisoned(
      { documents: [READY, FAILED], rejected: [{ name: 'c.txt', code: 'empty', message: 'It is empty' }] },
      ['status', 'outcome'],
    ),
    'GET /api/v1/documents': { documents: [READY, FAILED].map((one) => poisoned(one, ['status', 'id'])), next_cursor: null },
    'GET /api/v1/documents/doc_00000000000000000000000001': poisoned(READY, ['status', 'id']),
    'PATCH /api/v1/documents/doc_00000000000000000000000001': poisoned(READY, ['status', 'id']),
    'GET /api/v1/documents/doc_00000000000000000000000001/content': original,
    'GET /api/v1/documents/doc_00000000000000000000000001/text': (_: Received, response: ServerResponse) =>
      response.end(`text ${EVIL}`),
    'POST /api/v1/documents/doc_00000000000000000000000001/reprocess': poisoned(READY, ['status', 'id']),
    'POST /api/v1/documents/doc_00000000000000000000000002/reprocess': poisoned(FAILED, ['status', 'id']),
    'GET /api/v1/projects/default/synonyms': {
      synonyms: [SYNONYM, SYNONYM].map((one) => poisoned(one, ['id'])),
      next_cursor: null,
    },
    'POST /api/v1/projects/default/synonyms': { synonyms: [{ ...poisoned(SYNONYM), outcome: 'created' }], removed: 0 },
    'PUT /api/v1/projects/default/synonyms': poisoned({ synonyms: [SYNONYM], removed: 1 }),
    'DELETE /api/v1/projects/default/synonyms/syn_1': {},
    'GET /api/v1/projects/default/webhooks': { webhooks: [poisoned(WEBHOOK, ['id']), poisoned({ ...WEBHOOK, id: 'whk_2' })] },
    'POST /api/v1/projects/default/webhooks': poisoned({ ...WEBHOOK, secret: 'whsec_x' }),
    'PATCH /api/v1/projects/default/webhooks/whk_1': poisoned(WEBHOOK),
    'DELETE /api/v1/projects/default/webhooks/whk_1': {},
    'POST /api/v1/projects/default/webhooks/whk_1/rotate': poisoned({
      ...WEBHOOK,
      secret: 'whsec_x',
      old_secret_expires_at: AT,
    }),
    'POST /api/v1/projects/default/webhooks/whk_1/test': poisoned(DELIVERY),
    'GET /api/v1/projects/default/webhooks/whk_1/deliveries': { deliveries: [poisoned(DELIVERY)], next_cursor: null },
    'GET /api/v1/audit': {
      events: [poisoned(EVENT), poisoned({ ...EVENT, document: { id: 'doc_1', name: 'a.txt' } })],
      next_cursor: null,
    },
    'GET /api/v1/keys': { keys: [poisoned(KEY)], next_cursor: null },
    'POST /api/v1/keys': poisoned({ ...KEY, key: 'dsk_x' }),
    'GET /api/v1/users': { users: [poisoned(USER)], next_cursor: null },
    'POST /api/v1/users': poisoned(USER),
    'GET /api/v1/users/u': poisoned(USER),
    'PATCH /api/v1/users/u': poisoned(USER),
    'GET /api/v1/unmanaged-projects': { projects: [PROJECT, PROJECT].map((one) => poisoned(one)), next_cursor: null },
    'POST /api/v1/unmanaged-projects/prj_00000000000000000000000001/take-over': poisoned({
      id: 'p',
      manager: { ...USER, email: null },
    }),
    'POST /api/v1/users/u/reset': poisoned(USER),
    'DELETE /api/v1/users/u': poisoned(USER),
    [`DELETE /api/v1/users/${encodeURIComponent(`usr_1${EVIL}`)}`]: poisoned(USER),
    'GET /api/v1/clients': { clients: [poisoned(APPLICATION)] },
    'POST /api/v1/clients': poisoned(APPLICATION),
    'GET /api/v1/clients/c': poisoned(APPLICATION),
    'POST /api/v1/clients/c/rotate': poisoned(APPLICATION),
    'GET /api/v1/models': { models: [poisoned(MODEL, ['state'])], ollama: { ok: false, message: `Ollama is away${EVIL}` } },
    'POST /api/v1/models/use': poisoned(
      { model: 'builtin', state: 'building', documents_done: 0, documents_total: 1, notice: 'It takes long' },
      ['state'],
    ),
    'POST /api/v1/models/test': poisoned(TESTED_MODEL, ['check', 'result']),
    'POST /api/v1/models/pull': pull,
    'POST /api/v1/doctor': examination,
    'POST /api/v1/backup': backup,
    'GET /api/v1/status': poisoned(STATUS),
    'POST /mcp': poisoned({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'search', description: 'It finds' }] } }, [
      'jsonrpc',
    ]),
    'GET /api/v1/me': poisoned(ME, ['method']),
    'GET /api/v1/health': poisoned({ status: 'ok', version: '1' }),
  }
  return scriptedInstance(script)
}

/** One call for every command that speaks to an instance. FILE is a file, FOLDER a folder, QUESTIONS a file for `eval`. */
const COMMANDS: string[][] = [
  ['search', 'x'],
  ['search', 'x', '--explain'],
  ['search', 'x', '-l'],
  ['search', 'x', '--format', 'csv'],
  ['search', 'x', '--format', 'jsonl'],
  ['search', 'x', '-l', '--format', 'csv'],
  ['search', 'x', '--open', '1'],
  ['open', 'doc_00000000000000000000000001'],
  ['open', 'doc_00000000000000000000000001', '--browser'],
  ['upload', 'FILE', '--wait'],
  ['upload', 'FILE', '--on-conflict', 'error'],
  ['sync', 'FOLDER', '--prune', '--whole-project', '--dry-run'],
  ['sync', 'FOLDER', '--prune', '--whole-project', '--max-delete', '100%', '--verbose'],
  ['projects', 'list'],
  ['projects', 'show', 'p'],
  ['projects', 'create', 'p'],
  ['projects', 'rename', 'p', 'q'],
  ['projects', 'delete', 'p', '--yes'],
  ['projects', 'delete', 'p'],
  ['projects', 'members', 'list', 'p'],
  ['projects', 'members', 'add', 'p', 'u'],
  ['projects', 'members', 'remove', 'p', 'u', '--yes'],
  ['documents', 'list'],
  ['documents', 'list', '--trashed'],
  ['documents', 'restore', 'doc_00000000000000000000000001'],
  ['documents', 'show', 'doc_00000000000000000000000001'],
  ['documents', 'text', 'doc_00000000000000000000000001'],
  ['documents', 'get', 'doc_00000000000000000000000001', '-o', 'COPY'],
  ['documents', 'move', 'doc_00000000000000000000000001', 'a/'],
  ['documents', 'rename', 'doc_00000000000000000000000001', 'b.txt'],
  ['documents', 'tag', 'doc_00000000000000000000000001', '--add', 'x'],
  ['documents', 'delete', 'doc_00000000000000000000000001', '--yes'],
  ['documents', 'delete', 'doc_00000000000000000000000001', 'doc_00000000000000000000000002', '--yes'],
  ['documents', 'retry', 'doc_00000000000000000000000001'],
  ['documents', 'retry'],
  ['export', 'COPY', '--project', 'p'],
  ['import', 'FOLDER', '--project', 'p'],
  ['synonyms', 'list'],
  ['synonyms', 'add', 'tree', 'oak'],
  ['synonyms', 'remove', 'syn_1'],
  ['synonyms', 'remove', `oak${EVIL}`, '--yes'],
  ['synonyms', 'import', 'SYNONYMS'],
  ['synonyms', 'import', 'SYNONYMS', '--replace'],
  ['webhooks', 'list'],
  ['webhooks', 'add', 'https://example.com/hook'],
  ['webhooks', 'edit', 'whk_1', '--off'],
  ['webhooks', 'rotate', 'whk_1'],
  ['webhooks', 'remove', 'whk_1', '--yes'],
  ['webhooks', 'remove', `whk_3${EVIL}`, '--yes'],
  ['webhooks', 'test', 'whk_1'],
  ['webhooks', 'deliveries', 'whk_1'],
  ['audit'],
  ['keys', 'list'],
  ['keys', 'create', 'k'],
  ['keys', 'delete', 'k', '--yes'],
  ['users', 'list'],
  ['users', 'show', 'u'],
  ['users', 'add', 'ada@example.org'],
  ['users', 'disable', 'u'],
  ['users', 'enable', 'u'],
  ['users', 'quota', 'u', '--documents', '5'],
  ['users', 'reset', 'u'],
  ['users', 'delete', 'u', '--yes'],
  ['projects', 'list', '--unmanaged'],
  ['projects', 'take-over', 'p'],
  ['projects', 'take-over', 'prj_00000000000000000000000001'],
  ['clients', 'list'],
  ['clients', 'show', 'c'],
  ['clients', 'create', 'c', '--redirect-uri', 'https://notes.example/callback'],
  ['clients', 'rotate', 'c'],
  ['clients', 'delete', 'c', '--yes'],
  ['models', 'list'],
  ['models', 'pull', 'm'],
  ['models', 'test', 'm'],
  ['models', 'use', 'm'],
  ['models', 'remove', 'm', '--yes'],
  ['doctor'],
  ['status'],
  ['backup', 'COPY'],
  ['whoami'],
  ['mcp'],
  ['login', 'URL', '--with-token'],
  ['logout'],
  ['eval', 'QUESTIONS'],
  ['__complete', 'projects'],
]
/** Commands that speak to no instance. */
const LOCAL = [
  'serve',
  'reindex',
  'backup verify',
  'restore',
  'migrate',
  'completion',
  'profiles list',
  'profiles use',
  'profiles remove',
]

const CASES = COMMANDS.map((command) => [command.join(' '), command] as const)

async function run(url: string, command: readonly string[], { terminal, asJson }: { terminal: boolean; asJson: boolean }) {
  const folder = testFolder()
  const files: Record<string, string> = {
    FILE: join(folder, 'a.txt'),
    FOLDER: folder,
    QUESTIONS: join(folder, 'questions.yaml'),
    SYNONYMS: join(folder, 'synonyms.txt'),
    COPY: join(folder, 'copy'),
    URL: url,
  }
  writeFileSync(files['FILE']!, 'text')
  writeFileSync(files['SYNONYMS']!, 'tree, oak\n')
  writeFileSync(files['QUESTIONS']!, '- query: rent\n  expect:\n    - document: lease.pdf\n')
  const asked: string[] = []
  const prompts: Partial<Prompts> = {
    confirm: async ({ message }) => asked.push(message) > 0,
    select: async ({ message, choices }) => (asked.push(message, ...choices.map(({ name }) => name)), choices[0]!.value),
    password: async () => 'dsk_x',
  }
  const shown = await runCommand([...command.map((word) => files[word] ?? word), ...(asJson ? ['--json'] : [])], {
    env: { DOCSEARCH_SERVER: url, ...(command[0] === 'login' ? {} : { DOCSEARCH_TOKEN: 'dsk_x' }), TERM: 'xterm-kitty' },
    ...(terminal && { terminal: 100 }),
    stdin: command[0] === 'mcp' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' : 'dsk_x',
    prompts,
    wait: () => Promise.resolve(),
  })
  return { ...shown, asked }
}

/** `mayBreakLines`: for a terminal, which wraps lines, and for output in which a line break is part of a value. */
function expectHarmless({ stdout, stderr, asked, opened }: CliRun & { asked: string[] }, mayBreakLines = false): void {
  for (const text of [stdout, stderr].map((text) => text.replaceAll(OURS, '').replaceAll('\r\n', '\n')))
    expect(DANGEROUS.exec(text)?.[0], JSON.stringify(text)).toBeUndefined()
  for (const question of asked) expect(question).not.toMatch(/[\p{Cc}\u202e]/u)
  for (const path of opened) expect(path).not.toMatch(/[\p{Cc}\u202e]/u)
  if (!mayBreakLines) expect(`${stdout}${stderr}`).not.toMatch(/^docsearch: forged/m)
}

test('a stored key stays readable, whatever the instance calls it', async () => {
  const { url } = await scriptedInstance({ 'GET /api/v1/me': poisoned(ME) })
  const env = { XDG_CONFIG_HOME: testFolder() }
  expect(await runCommand(['login', url, '--with-token'], { env, stdin: 'dsk_x' })).toMatchObject({ code: 0 })
  expect(await runCommand(['whoami', '--server', url], { env })).toMatchObject({ code: 0 })
})

test('the table has every command', async () => {
  const namesOf = (command: Command | Noun, before = ''): string[] =>
    'commands' in command
      ? command.commands.flatMap((verb) => namesOf(verb, `${before}${command.name} `))
      : [before + command.name]
  const names = (await loadCommands()).flatMap((command) => namesOf(command))
  const called = CASES.map(([words]) => words)
  const missing = names.filter((name) => !LOCAL.includes(name) && !called.some((words) => `${words} `.startsWith(`${name} `)))
  expect(missing.filter((name) => !(name === 'documents reprocess'))).toEqual([])
})

describe.each([
  ['on a terminal', { terminal: true, asJson: false }],
  ['on a pipe', { terminal: false, asJson: false }],
  ['as JSON on a terminal', { terminal: true, asJson: true }],
])('text from a hostile instance is escaped %s', (_, how) => {
  test.each(CASES)('by %s', async (words, command) => {
    const shown = await run((await hostile()).url, command, how)
    // A pipe gets exactly the text that was extracted.
    if (words === 'documents text doc_00000000000000000000000001' && !how.terminal) expect(shown.stdout).toBe(`text ${EVIL}`)
    else expectHarmless(shown, how.terminal || / (?:csv|text) ?/.test(words))
  })

  test.each(CASES)('in an error, by %s', async (_words, command) => {
    const failing = (_request: Received, response: ServerResponse) =>
      problem(response, 422, `made_up${EVIL}` as never, `It failed${EVIL}`, {
        title: EVIL,
        request_id: EVIL,
        errors: [
          { path: EVIL, message: EVIL },
          { path: `b${EVIL}`, message: EVIL },
        ],
      })
    const everything = new Proxy<Script>({}, { get: () => failing })
    expectHarmless(await run((await scriptedInstance(everything)).url, command, how), how.terminal)
  })
})

test('an instance that sends values of wrong types cannot print an escape sequence', async () => {
  const odd = {
    ...result(),
    rank: EVIL,
    score: EVIL,
    text: [EVIL],
    chunk: EVIL,
    document: { name: EVIL, project: { name: EVIL } },
  }
  const instance = await scriptedInstance({
    'POST /api/v1/search': (_: Received, response: ServerResponse) => json(response, 200, answerWith([odd])),
  })
  for (const terminal of [true, false]) expectHarmless(await run(instance.url, ['search', 'x'], { terminal, asJson: false }))
})

test('a name in a message of the command line itself cannot look like another line', async () => {
  const documents = [READY, FAILED].map((one) => ({ ...poisoned(one, ['status', 'id']), name: 'a.txt' }))
  const instance = await scriptedInstance({ 'GET /api/v1/documents': { documents, next_cursor: null } })
  const shown = await run(instance.url, ['documents', 'show', 'a.txt'], { terminal: false, asJson: false })
  expect(shown.stderr).toContain('2 documents match')
  expectHarmless(shown)
})

test('the original is not written to a terminal', async () => {
  const { url } = await hostile()
  const shown = await run(url, ['documents', 'get', 'doc_00000000000000000000000001', '-o', '-'], {
    terminal: true,
    asJson: false,
  })
  expect(shown).toMatchObject({ code: 2, stdout: '' })
  const piped = await run(url, ['documents', 'get', 'doc_00000000000000000000000001', '-o', '-'], {
    terminal: false,
    asJson: false,
  })
  expect(piped).toMatchObject({ code: 0, stdout: EVIL })
})

test('only view/ makes text that is printed without escaping, and only the entry point writes to the streams', () => {
  const cli = readSources().filter(({ folder }) => folder === 'cli')
  const containing = (pattern: RegExp) =>
    cli
      .filter(({ path }) => pattern.test(source(path)))
      .map(({ path }) => path)
      .toSorted()
  expect(containing(/new Styled\(/)).toEqual(['cli/view/csv-and-json-lines.ts', 'cli/view/safe.ts', 'cli/view/style.ts'])
  expect(containing(/(?:stdout|stderr|#stream)\.write\(/)).toEqual(['cli/main.ts', 'cli/program.ts', 'cli/view/screen.ts'])
  expect(containing(/\.bytes\b/)).toEqual(['cli/commands/backup/create.ts', 'cli/commands/documents/get.ts'])
})

function source(path: string): string {
  return readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8')
}
