import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { editDistance } from '../core/edit-distance.ts'
import { DocsearchError } from '../core/errors.ts'
import { DEFAULT_USER_RATE_FACTOR, type Config } from './config.ts'
import { resolveDataDir, type Source } from './data-dir.ts'
import { partsOfAddress } from './values.ts'
import { environmentName, OTHER_VARIABLES, SETTINGS, type Setting } from './settings.ts'
import { problemsOfPlace, type SharedPlace } from './shared-place.ts'

/** An unknown name that differs by more edits from every known name is not a typing error. */
const MAX_EDITS = 2

type Environment = Readonly<Record<string, string | undefined>>

export interface LoadedConfig {
  config: Config
  /** The settings file, which need not exist. */
  file: string
  /** For --print-config: each value and where it comes from. */
  values: { key: string; value: unknown; source: Source; from: string }[]
}

/**
 * Resolves the configuration: defaults < config.json < environment < flags. `flags` are the options of the command line by their camelCase names.
 * Throws DocsearchError `invalid_configuration`, which lists every unknown key and every bad value at once.
 */
export async function loadConfig(flags: Readonly<Record<string, unknown>>, env: Environment): Promise<LoadedConfig> {
  const problems: string[] = []
  const { dir, source: dataSource } = resolveDataDir(typeof flags.data === 'string' ? flags.data : undefined, env)
  const named = text(flags.config)
  const file = named === undefined ? join(dir, 'config.json') : resolve(named)
  const fromFile = await readConfigFile(file, named !== undefined, problems)
  problems.push(...unknownKeys(fromFile, file), ...unknownVariables(env))

  const values: LoadedConfig['values'] = [
    { key: 'data', value: dir, source: dataSource, from: sourceName(dataSource, '--data', 'DOCSEARCH_DATA', file) },
  ]
  const resolved = new Map<string, unknown>()
  for (const setting of SETTINGS) {
    const { key, hideSecrets } = setting
    const { value, source, from } = findValue(setting, { flags, env, fromFile, file })
    const parsed = setting.schema.safeParse(value)
    if (parsed.success) {
      resolved.set(key, parsed.data)
      values.push({ key, value: hideSecrets === undefined ? parsed.data : hideSecrets(parsed.data), source, from })
    } else {
      const fault = parsed.error.issues[0]?.message ?? 'is not valid'
      // In an invalid value, the secret can be in any place.
      const shown = hideSecrets === undefined ? `, but is ${JSON.stringify(value)}` : ''
      problems.push(`${key} ${fault}${shown} (${from})`)
    }
  }
  problems.push(...problemsOfShared(resolved, values))
  const rerankKey = env.DOCSEARCH_RERANK_KEY?.trim() || null
  // No message shows a key, not even a wrong one.
  if (rerankKey !== null && !/^[\x21-\x7e]+$/.test(rerankKey))
    problems.push('DOCSEARCH_RERANK_KEY has a character that a key cannot contain')
  if (problems.length > 0) throw invalidConfiguration(problems)
  return { config: toConfig(dir, resolved, rerankKey), file, values }
}

/** Another check has already reported settings that are wrong on their own. */
function problemsOfShared(resolved: ReadonlyMap<string, unknown>, values: LoadedConfig['values']): string[] {
  const keys = ['database', 'store', 'role'] as const
  if (!keys.every((key) => resolved.has(key))) return []
  const by = <T>(find: (key: string) => T) => ({ database: find('database'), store: find('store'), role: find('role') })
  const sourceOf = (key: string) => values.find((value) => value.key === key)?.source
  return problemsOfPlace(
    by((key) => resolved.get(key)),
    by(sourceOf),
  )
}

function invalidConfiguration(problems: readonly string[]): DocsearchError {
  const lines = problems.map((line) => `  ${line}`).join('\n')
  return new DocsearchError('invalid_configuration', `The configuration is not valid:\n${lines}`, { details: { problems } })
}

function unknownKeys(fromFile: ReadonlyMap<string, unknown>, file: string): string[] {
  const known = new Set(SETTINGS.map(({ key }) => key))
  const unknown = [...fromFile.keys()].filter((key) => !known.has(key))
  return unknown.map((key) => `unknown key "${key}" in ${file}${suggestion(key, known)}`)
}

function unknownVariables(env: Environment): string[] {
  const known = new Set(SETTINGS.map(({ key }) => environmentName(key)))
  const unknown = Object.keys(env).filter(
    (name) =>
      name.startsWith('DOCSEARCH_') && !name.startsWith('DOCSEARCH_TEST_') && !known.has(name) && !OTHER_VARIABLES.has(name),
  )
  return unknown.map((name) => `unknown environment variable ${name}${suggestion(name, known)}`)
}

interface Sources {
  flags: Readonly<Record<string, unknown>>
  env: Environment
  fromFile: ReadonlyMap<string, unknown>
  file: string
}

/** Returns the value from the source that overrides the others. An empty environment variable counts as not set. */
function findValue(setting: Setting, { flags, env, fromFile, file }: Sources) {
  const variable = environmentName(setting.key)
  const flagName = setting.flag && `--${setting.flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  let value = setting.default
  let source: Source = 'default'
  if (fromFile.has(setting.key)) [value, source] = [fromFile.get(setting.key), 'file']
  if (env[variable] !== undefined && env[variable] !== '') [value, source] = [env[variable], 'environment']
  if (setting.flag && flags[setting.flag] !== undefined) [value, source] = [flags[setting.flag], 'flag']
  return { value, source, from: sourceName(source, flagName ?? '', variable, file) }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function sourceName(source: Source, flag: string, variable: string, file: string): string {
  return { default: 'default', file, environment: variable, flag }[source]
}

/** Reads a configuration file. Nested objects become dotted keys; arrays are values. */
async function readConfigFile(file: string, mustExist: boolean, problems: string[]): Promise<Map<string, unknown>> {
  let content: string
  try {
    content = await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (mustExist || (code !== 'ENOENT' && code !== 'ENOTDIR')) problems.push(`could not read ${file}: ${message}`)
    return new Map()
  }
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch (error) {
    problems.push(`${file} is not valid JSON: ${(error as Error).message}`)
    return new Map()
  }
  if (isObject(json)) return new Map(flatten(json, ''))
  problems.push(`${file} must contain a JSON object`)
  return new Map()
}

function flatten(value: object, prefix: string): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] =>
    isObject(inner) ? flatten(inner, `${prefix}${name}.`) : [[prefix + name, inner]],
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Suggests a known name that differs by a typing error. */
function suggestion(name: string, known: ReadonlySet<string>): string {
  for (const candidate of known) if (editDistance(name, candidate, MAX_EDITS) <= MAX_EDITS) return `, did you mean ${candidate}?`
  return ''
}

function toConfig(dataDir: string, values: ReadonlyMap<string, unknown>, rerankKey: string | null): Config {
  // The schema of each setting has checked its value, so the type is right.
  const get = <T>(key: string): T => values.get(key) as T
  const metricsListen = get<string | null>('metrics.listen')
  return Object.freeze<Config>({
    host: get('host'),
    port: get('port'),
    dataDir,
    shared: sharedOf(get),
    publicUrl: get('public_url'),
    allowedHosts: get('allowed_hosts'),
    trustProxy: get('trust_proxy'),
    ollamaUrl: get('ollama'),
    embedder: get('embedder'),
    embedderCheckMs: get('embedder_check_ms'),
    fusionWeight: get('fusion_weight'),
    reranker: get('reranker'),
    rerank: Object.freeze({
      model: get<string | null>('rerank.model'),
      key: rerankKey,
      deadlineMs: get<number>('rerank.deadline_ms'),
      candidates: get<number>('rerank.candidates'),
      passageTokens: get<number>('rerank.passage_tokens'),
      parallel: get<number>('rerank.parallel'),
    }),
    pageImageBytes: get<number>('page_images.cache_mb') * 2 ** 20,
    indexCacheBytes: get<number>('index.cache_mb') * 2 ** 20,
    originalsCacheBytes: get<number>('originals.cache_mb') * 2 ** 20,
    searchMemoryBytes: get<number>('search.memory_mb') * 2 ** 20,
    rateLimit: get('rate_limit'),
    userRateLimit: get<number | null>('user_rate_limit') ?? DEFAULT_USER_RATE_FACTOR * get<number>('rate_limit'),
    loginFailures: get('login_failures'),
    oauth: Object.freeze({
      canRegister: get<boolean>('oauth.registration'),
      clientDocuments: get<boolean>('oauth.client_documents'),
      callbacks: Object.freeze({
        privateHttp: get<boolean>('oauth.private_http_callbacks'),
        schemes: get<string[]>('oauth.callback_schemes'),
      }),
    }),
    webhooks: Object.freeze({
      plainHttp: get<boolean>('webhooks.plain_http'),
      privateNetworks: get<boolean>('webhooks.private_networks'),
    }),
    auditDays: get('audit_days'),
    trashDays: get('trash_days'),
    scrubDays: get('scrub_days'),
    backup: Object.freeze({
      target: get<string | null>('backup.target'),
      everyMs: get<number>('backup.every'),
      keep: get<number>('backup.keep'),
      withVectors: get<boolean>('backup.with_vectors'),
    }),
    logLevel: get('log_level'),
    slowSearchMs: get('slow_search_ms'),
    daemonLog: Object.freeze({ maxBytes: get<number>('daemon_log.max_bytes'), files: get<number>('daemon_log.files') }),
    metricsListen: metricsListen === null ? null : Object.freeze(partsOfAddress(metricsListen)),
    parseWorkers: get('parse.workers'),
    pdfEngine: get('pdf.engine'),
    ocrCommand: get('parse.ocr_command'),
    quotas: Object.freeze({
      documents: get<number>('quota.documents') || null,
      bytes: get<number>('quota.bytes') || null,
      passages: get<number>('quota.passages') || null,
    }),
    limits: limitsOf(get),
  })
}

function sharedOf(get: <T>(key: string) => T): SharedPlace | null {
  const [database, store] = [get<string | null>('database'), get<string | null>('store')]
  if (database === null || store === null) return null
  return Object.freeze<SharedPlace>({ database, store, role: get('role') })
}

function limitsOf(get: <T>(key: string) => T): Config['limits'] {
  return Object.freeze({
    fileBytes: get<number>('limits.file_bytes'),
    requestFiles: get<number>('limits.request_files'),
    requestBytes: get<number>('limits.request_bytes'),
    pages: get<number>('limits.pages'),
    parseMs: get<number>('limits.parse_ms'),
    parseStallMs: get<number>('limits.parse_stall_ms'),
    ocrMs: get<number>('limits.ocr_ms'),
    parseMemoryBytes: get<number>('limits.parse_memory_bytes'),
    textBytes: get<number>('limits.text_bytes'),
    xmlBytes: get<number>('limits.xml_bytes'),
    queryChars: get<number>('limits.query_chars'),
    answerBytes: get<number>('limits.answer_bytes'),
    uploadsInFlight: get<number>('limits.uploads_in_flight'),
    uploadStallMs: get<number>('limits.upload_stall_ms'),
    eventStreams: get<number>('limits.event_streams'),
    apiKeys: get<number>('limits.api_keys'),
    synonyms: get<number>('limits.synonyms'),
    webhooks: get<number>('limits.webhooks'),
  })
}
