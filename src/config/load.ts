import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { editDistance } from '../core/edit-distance.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Config } from './config.ts'
import { resolveDataDir, type Source } from './data-dir.ts'
import { environmentName, OTHER_VARIABLES, SETTINGS } from './settings.ts'

/** An unknown name with more edits than this is not taken for a typing error. */
const MAX_EDITS = 2

export interface LoadedConfig {
  config: Config
  /** For --print-config: each value and where it comes from. */
  values: { key: string; value: unknown; source: Source; from: string }[]
}

/**
 * Resolves defaults < config.json < environment < flags. `flags` are the options of the command line by their camelCase names.
 * Throws DocsearchError `invalid_configuration` that names every unknown key and every bad value at once.
 */
export async function loadConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedConfig> {
  const problems: string[] = []
  const { dir, source: dataSource } = resolveDataDir(text(flags.data), env)
  const named = text(flags.config)
  const file = named === undefined ? join(dir, 'config.json') : resolve(named)
  const fromFile = await readConfigFile(file, named !== undefined, problems)

  const known = new Set(SETTINGS.map((setting) => setting.key))
  for (const key of fromFile.keys()) if (!known.has(key)) problems.push(`${file}: unknown key "${key}"${suggestion(key, known)}`)
  const variables = new Set(SETTINGS.map((setting) => environmentName(setting.key)))
  for (const name of Object.keys(env)) {
    if (!name.startsWith('DOCSEARCH_') || name.startsWith('DOCSEARCH_TEST_')) continue
    if (!variables.has(name) && !OTHER_VARIABLES.has(name))
      problems.push(`unknown environment variable ${name}${suggestion(name, variables)}`)
  }

  const values: LoadedConfig['values'] = [
    { key: 'data', value: dir, source: dataSource, from: sourceName(dataSource, '--data', 'DOCSEARCH_DATA', file) },
  ]
  const resolved = new Map<string, unknown>()
  for (const setting of SETTINGS) {
    const variable = environmentName(setting.key)
    const flagName = setting.flag && `--${setting.flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    let value = setting.default
    let source: Source = 'default'
    if (fromFile.has(setting.key)) [value, source] = [fromFile.get(setting.key), 'file']
    if (env[variable] !== undefined && env[variable] !== '') [value, source] = [env[variable], 'environment']
    if (setting.flag && flags[setting.flag] !== undefined) [value, source] = [flags[setting.flag], 'flag']
    const from = sourceName(source, flagName ?? '', variable, file)
    const parsed = setting.schema.safeParse(value)
    if (parsed.success) {
      resolved.set(setting.key, parsed.data)
      values.push({ key: setting.key, value: parsed.data, source, from })
    } else {
      const fault = parsed.error.issues[0]?.message ?? 'is not valid'
      problems.push(`${setting.key} ${fault}, but is ${JSON.stringify(value)} (${from})`)
    }
  }
  const rerankKey = env.DOCSEARCH_RERANK_KEY?.trim() || null
  // What it is, is never said, not even that of a wrong one.
  if (rerankKey !== null && !/^[\x21-\x7e]+$/.test(rerankKey))
    problems.push('DOCSEARCH_RERANK_KEY has characters that no key has')
  if (problems.length > 0) {
    throw new DocsearchError(
      'invalid_configuration',
      `The configuration has ${problems.length === 1 ? 'a fault' : `${problems.length} faults`}:\n${problems.map((line) => `  ${line}`).join('\n')}`,
      {
        details: { problems },
      },
    )
  }
  return { config: toConfig(dir, resolved, rerankKey), values }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function sourceName(source: Source, flag: string, variable: string, file: string): string {
  return { default: 'default', file, environment: variable, flag }[source]
}

/** Nested objects become dotted keys; arrays are values. */
async function readConfigFile(file: string, mustExist: boolean, problems: string[]): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  let content: string
  try {
    content = await readFile(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (mustExist || (code !== 'ENOENT' && code !== 'ENOTDIR'))
      problems.push(`${file} cannot be read: ${(error as Error).message}`)
    return found
  }
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch (error) {
    problems.push(`${file} is not valid JSON: ${(error as Error).message}`)
    return found
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    problems.push(`${file} must hold a JSON object`)
    return found
  }
  const walk = (value: object, prefix: string): void => {
    for (const [name, inner] of Object.entries(value)) {
      const key = prefix + name
      if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) walk(inner, `${key}.`)
      else found.set(key, inner)
    }
  }
  walk(json, '')
  return found
}

/** Suggests a known name that differs by a typing error. */
function suggestion(name: string, known: ReadonlySet<string>): string {
  for (const candidate of known) if (editDistance(name, candidate, MAX_EDITS) <= MAX_EDITS) return `, did you mean ${candidate}?`
  return ''
}

function toConfig(dataDir: string, values: ReadonlyMap<string, unknown>, rerankKey: string | null): Config {
  // Each value has passed the schema of its setting, which fixes its type.
  const get = <T>(key: string): T => values.get(key) as T
  return Object.freeze<Config>({
    host: get('host'),
    port: get('port'),
    dataDir,
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
    rateLimit: get('rate_limit'),
    loginFailures: get('login_failures'),
    logLevel: get('log_level'),
    parseWorkers: get('parse.workers'),
    pdfEngine: get('pdf.engine'),
    ocrCommand: get('parse.ocr_command'),
    limits: Object.freeze({
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
    }),
  })
}
