import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import { errorCode } from '../../support/codes.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docsearch-config-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('flags override the environment, which overrides the file, which overrides the defaults', async () => {
  await writeFile(join(dir, 'config.json'), JSON.stringify({ port: 1, host: '0.0.0.0', rate_limit: 5, limits: { pages: 7 } }))
  const { config, values } = await loadConfig({ data: dir, port: '3' }, { DOCSEARCH_PORT: '2', DOCSEARCH_RATE_LIMIT: '0' })
  expect(config).toMatchObject({ port: 3, rateLimit: 0, host: '0.0.0.0', embedder: 'auto', dataDir: dir })
  expect(config.limits.pages).toBe(7)
  const sources = Object.fromEntries(values.map((value) => [value.key, value.source]))
  expect(sources).toMatchObject({ port: 'flag', rate_limit: 'environment', host: 'file', embedder: 'default', data: 'flag' })
})

test('reports every unknown key and bad value at once', async () => {
  await writeFile(join(dir, 'config.json'), JSON.stringify({ prot: 1, limits: { pages: 'many' }, public_url: 'ftp://x' }))
  const failure = await loadConfig({ data: dir, embedder: 'gpt' }, { DOCSEARCH_RATE_LIMT: '1', DOCSEARCH_PORT: '70000' }).catch(
    (error) => error,
  )
  expect(failure.code).toBe(errorCode('invalid_configuration'))
  for (const part of [
    `unknown key "prot" in ${join(dir, 'config.json')}, did you mean port?`,
    'DOCSEARCH_RATE_LIMT, did you mean DOCSEARCH_RATE_LIMIT?',
    'limits.pages',
    'public_url',
    '70000',
    '--embedder',
  ]) {
    expect(failure.message).toContain(part)
  }
  expect(failure.details.problems).toHaveLength(6)
})

test('accepts sizes and times with units', async () => {
  const { config } = await loadConfig(
    { data: dir },
    { DOCSEARCH_LIMITS_FILE_BYTES: '5 MB', DOCSEARCH_LIMITS_PARSE_MS: '90s', DOCSEARCH_LIMITS_PARSE_MEMORY_BYTES: '2GiB' },
  )
  expect(config.limits).toMatchObject({ fileBytes: 5_000_000, parseMs: 90_000, parseMemoryBytes: 2 * 1024 ** 3 })
})

test('refuses a backup more often than every minute, and an empty name of the data folder', async () => {
  await expect(loadConfig({}, { DOCSEARCH_DATA: dir, DOCSEARCH_BACKUP_EVERY: '59s' })).rejects.toThrow(
    'backup.every must be at least "1min"',
  )
  const { config } = await loadConfig({}, { DOCSEARCH_DATA: dir, DOCSEARCH_BACKUP_EVERY: '1min' })
  expect(config.backup.everyMs).toBe(60_000)
  await expect(loadConfig({ data: '' }, {})).rejects.toThrow('--data is empty')
  await expect(loadConfig({}, { DOCSEARCH_DATA: '' })).rejects.toThrow('DOCSEARCH_DATA is empty')
})

test('reports broken JSON and a missing --config file', async () => {
  await writeFile(join(dir, 'config.json'), '{"port": 1,')
  await expect(loadConfig({ data: dir }, {})).rejects.toThrow(/not valid JSON/)
  await expect(loadConfig({ data: dir, config: join(dir, 'nowhere.json') }, {})).rejects.toThrow(/could not read .*nowhere\.json/)
})

test('says what a value of the wrong type must be', async () => {
  const wrong = {
    host: 5,
    allowed_hosts: 3,
    trust_proxy: 'maybe',
    ollama: 1,
    embedder: null,
    limits: { pages: 'many', file_bytes: true },
  }
  await writeFile(join(dir, 'config.json'), JSON.stringify(wrong))
  const { details } = await loadConfig({ data: dir }, {}).catch((error) => error)
  expect(details.problems).toHaveLength(7)
  for (const problem of details.problems) expect(problem).toMatch(/^[a-z_.]+ must be .*, but is .* \(.*config\.json\)$/)
  await writeFile(join(dir, 'config.json'), JSON.stringify({ host: '' }))
  await expect(loadConfig({ data: dir }, {})).rejects.toThrow('host must not be empty')
})

/** The promised limits, and the time for OCR, in the units of the configuration. */
const LIMITS = {
  file_bytes: 200_000_000,
  request_files: 20,
  request_bytes: 400_000_000,
  pages: 5_000,
  parse_ms: 60_000,
  parse_stall_ms: 10_000,
  parse_memory_bytes: 1024 ** 3,
  text_bytes: 20_000_000,
  xml_bytes: 64_000_000,
  query_chars: 4_000,
  answer_bytes: 4_000_000,
  event_streams: 20,
  api_keys: 100,
  synonyms: 10_000,
  webhooks: 10,
  uploads_in_flight: 50,
  upload_stall_ms: 60_000,
  ocr_ms: 600_000,
}
const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const asConfig = (limits: Record<string, number>) =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [camel(name), value]))

test('a user has three times the requests of a key, or as many as the setting says', async () => {
  const limitsOf = async (env: Record<string, string>) => {
    const { config } = await loadConfig({ data: dir }, env)
    return [config.rateLimit, config.userRateLimit]
  }
  expect(await limitsOf({})).toEqual([600, 1800])
  expect(await limitsOf({ DOCSEARCH_RATE_LIMIT: '50' })).toEqual([50, 150])
  expect(await limitsOf({ DOCSEARCH_USER_RATE_LIMIT: '700' })).toEqual([600, 700])
  expect(await limitsOf({ DOCSEARCH_USER_RATE_LIMIT: '0' })).toEqual([600, 0])
})

test('has the promised limits by default, and the documentation names them', async () => {
  const { config } = await loadConfig({ data: dir }, {})
  expect([config.rateLimit, config.limits]).toEqual([600, asConfig(LIMITS)])
  const page = await readFile(new URL('../../../docs/documents.md', import.meta.url), 'utf8')
  const table = /## Limits\n([\s\S]*?)\n## /.exec(page)![1]!
  for (const written of ['200 MB', '20 files, 400 MB', '5,000 pages', '20 MB of text', '64 MB of inflated XML', '60 s in all'])
    expect(table).toContain(written)
  for (const written of ['10 s without a page', '1 GiB of memory', '4,000 characters', '600 requests a minute'])
    expect(table).toContain(written)
})

test('the documentation names every setting', async () => {
  const page = await readFile(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
  expect(SETTINGS.map(({ key }) => key).filter((key) => !page.includes(`| \`${key}\` |`))).toEqual([])
})

test('each limit has a setting and an environment variable of its own', async () => {
  const other = Object.fromEntries(Object.keys(LIMITS).map((name, i) => [name, 101 + i]))
  const env = Object.fromEntries(
    Object.entries(other).map(([name, value]) => [`DOCSEARCH_LIMITS_${name.toUpperCase()}`, String(value)]),
  )
  expect((await loadConfig({ data: dir }, env)).config.limits).toEqual(asConfig(other))
  await writeFile(join(dir, 'config.json'), JSON.stringify({ limits: other }))
  expect((await loadConfig({ data: dir }, {})).config.limits).toEqual(asConfig(other))
})

test('each flag of serve sets its value', async () => {
  const flags = {
    host: '::1',
    port: '5',
    publicUrl: 'https://docs.example.org',
    ollama: 'http://models.example:1',
    embedder: 'builtin',
    reranker: 'none',
    logLevel: 'warn',
    database: 'postgres://db.example/docs',
    store: 's3://bucket',
    role: 'worker',
  }
  const { config, values } = await loadConfig({ data: dir, ...flags }, {})
  expect(config).toMatchObject({
    host: '::1',
    port: 5,
    publicUrl: 'https://docs.example.org',
    ollamaUrl: 'http://models.example:1',
    embedder: 'builtin',
    reranker: 'none',
    logLevel: 'warn',
    shared: { database: 'postgres://db.example/docs', store: 's3://bucket', role: 'worker' },
  })
  const fromFlags = values.filter(({ source }) => source === 'flag').map(({ from }) => from)
  expect(fromFlags.toSorted()).toEqual([
    '--data',
    '--database',
    '--embedder',
    '--host',
    '--log-level',
    '--ollama',
    '--port',
    '--public-url',
    '--reranker',
    '--role',
    '--store',
  ])
})

test.each(['auto', 'builtin', 'none', 'ollama:dengcao/Qwen3-Reranker-0.6B:Q8_0', 'https://rerank.example/v1/rerank'])(
  'accepts the reranker %s',
  async (reranker) => {
    expect((await loadConfig({ data: dir }, { DOCSEARCH_RERANKER: reranker })).config.reranker).toBe(reranker)
  },
)

test.each(['ollama:', 'qwen', 'ftp://rerank.example', 'https://me:secret@rerank.example', 'https://rerank.example/?key=secret'])(
  'refuses the reranker %s',
  async (reranker) => {
    await expect(loadConfig({ data: dir, reranker }, {})).rejects.toThrow(/reranker must be auto, builtin, none, ollama:MODEL/)
  },
)

test("takes a rerank endpoint's key only from the environment, and never shows it", async () => {
  const key = 'sk-cafe\u00e9'
  const { config, values } = await loadConfig({ data: dir }, { DOCSEARCH_RERANK_KEY: ' sk-secret\n' })
  expect(config.rerank).toEqual({
    model: null,
    key: 'sk-secret',
    deadlineMs: 2000,
    candidates: 25,
    passageTokens: 512,
    parallel: 1,
  })
  expect(JSON.stringify(values)).not.toContain('sk-secret')
  await writeFile(join(dir, 'config.json'), JSON.stringify({ rerank: { key: 'sk-secret' } }))
  await expect(loadConfig({ data: dir }, {})).rejects.toThrow(/unknown key "rerank\.key"/)
  const failure = await loadConfig({ data: dir }, { DOCSEARCH_RERANK_KEY: key }).catch((error) => error)
  expect(failure.message).toMatch(/DOCSEARCH_RERANK_KEY has a character that a key cannot contain/)
  expect(failure.message).not.toContain(key)
})

const PLACE = { DOCSEARCH_DATABASE: 'postgres://ann:s3cret@db.example/docs', DOCSEARCH_STORE: 's3://bucket/prefix' }

test('takes the database and the store of an instance with several processes', async () => {
  expect((await loadConfig({ data: dir }, {})).config.shared).toBeNull()
  const { config } = await loadConfig({ data: dir, role: 'api' }, PLACE)
  expect(config.shared).toEqual({ database: PLACE.DOCSEARCH_DATABASE, store: PLACE.DOCSEARCH_STORE, role: 'api' })
  await writeFile(join(dir, 'config.json'), JSON.stringify({ database: 'postgresql:///docs?service=a', store: 's3://bucket' }))
  const place = { database: 'postgresql:///docs?service=a', store: 's3://bucket', role: 'all' }
  expect((await loadConfig({ data: dir }, {})).config.shared).toEqual(place)
})

test.each([
  [{ database: 'postgres://db/docs' }, 'store must be set too'],
  [{ store: 's3://bucket' }, 'database must be set too'],
  [{ role: 'worker' }, 'role worker needs database and store'],
  [
    { database: 'postgres://db/docs', store: 's3://bucket', role: 'both' },
    'role must be all, api or worker, but is "both" (--role)',
  ],
  [{ database: 'mysql://db/docs', store: 'file:///tmp' }, 'store must be an address such as s3://bucket/prefix'],
  [{ database: 'postgres://ann:s3cret@db/docs', store: 's3://bucket' }, '--database must not contain a password'],
])('refuses %o', async (flags, message) => {
  await expect(loadConfig({ data: dir, ...flags }, {})).rejects.toThrow(message)
})

test.each([
  'postgres://ann:s3cret@db.example/docs',
  'postgres://db.example/docs?user=ann&password=s3cret&sslmode=require',
  'ann:s3cret@db.example/docs',
  'mysql://ann:s3cret@db.example/docs',
])('never shows the password in %s', async (database) => {
  const env = { ...PLACE, DOCSEARCH_DATABASE: database }
  const shown = await loadConfig({ data: dir }, env).then(
    ({ values }) => JSON.stringify(values),
    (error: Error) => error.message,
  )
  expect(shown).toContain('database')
  expect(shown).not.toContain('s3cret')
})
