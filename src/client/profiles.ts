import { join } from 'node:path'
import { DocsearchError } from '../core/errors.ts'
import { DEFAULT_ADDRESS, normaliseAddress } from './address.ts'
import { configFolder } from './folders.ts'
import type { Env } from './folders.ts'
import { lastLocalInstance } from './credentials/local.ts'
import { readJson, writePrivateJson } from './private-file.ts'

export interface Profile {
  server: string
  /** The project of commands that name none. */
  project?: string
}

export interface Profiles {
  profiles: Record<string, Profile>
  default?: string
}

export interface Target {
  address: string
  /** What named the instance. */
  from: 'flag' | 'environment' | 'profile' | 'local daemon' | 'default'
  profile: string | null
  project: string | null
}

/** Reads the saved profiles. Throws DocsearchError `settings_invalid` that lists every problem of the file. */
export async function readProfiles(env: Env): Promise<Profiles> {
  const file = profilesFile(env)
  const value = await readJson(file)
  if (value === undefined) return { profiles: {} }
  const problems: string[] = []
  const result: Profiles = { profiles: Object.create(null) as Record<string, Profile> }
  for (const key of Object.keys(value)) if (key !== 'profiles' && key !== 'default') problems.push(`unknown key "${key}"`)
  for (const [name, profile] of Object.entries(objectOf(value['profiles'] ?? {}, '"profiles"', problems))) {
    const parsed = parseProfile(name, profile, problems)
    if (parsed !== undefined) result.profiles[name] = parsed
  }
  if (typeof value['default'] === 'string') result.default = value['default']
  else if (value['default'] !== undefined) problems.push('"default" must be the name of a profile')
  if (result.default !== undefined && result.profiles[result.default] === undefined && problems.length === 0) {
    problems.push(`"default" names "${result.default}", which is not a profile`)
  }
  if (problems.length > 0) throw new DocsearchError('settings_invalid', `${file}: ${problems.join('; ')}.`)
  return result
}

export async function saveProfile(env: Env, name: string, profile: Profile, makeDefault: boolean): Promise<void> {
  const current = await readProfiles(env)
  const profiles = { ...current.profiles, [name]: { ...current.profiles[name], ...profile } }
  const fallback = makeDefault ? name : current.default
  await writePrivateJson(profilesFile(env), fallback === undefined ? { profiles } : { profiles, default: fallback })
}

/** Makes a saved profile the default. Throws DocsearchError `unknown_profile`. */
export async function useProfile(env: Env, name: string): Promise<Profile> {
  const { profiles } = await readProfiles(env)
  const profile = profiles[name] ?? unknownProfile(name, profiles)
  await writePrivateJson(profilesFile(env), { profiles, default: name })
  return profile
}

/** Removes a saved profile. Credentials stay. Throws DocsearchError `unknown_profile`. */
export async function removeProfile(env: Env, name: string): Promise<Profile> {
  const { profiles, default: fallback } = await readProfiles(env)
  const { [name]: removed = unknownProfile(name, profiles), ...others } = profiles
  const rest = fallback === undefined || fallback === name ? {} : { default: fallback }
  await writePrivateJson(profilesFile(env), { profiles: others, ...rest })
  return removed
}

/** Stops using this instance as the default after a logout. The profile stays, so that the user can log in again by its name. */
export async function forgetDefault(env: Env, address: string): Promise<void> {
  const { profiles, default: fallback } = await readProfiles(env)
  if (fallback === undefined || normaliseAddress(profiles[fallback]!.server) !== address) return
  await writePrivateJson(profilesFile(env), { profiles })
}

/** Finds the instance of a command: flag > environment > profile > the last daemon on this machine > http://127.0.0.1:4747. */
export async function resolveTarget(options: {
  env: Env
  server?: string | undefined
  profile?: string | undefined
}): Promise<Target> {
  const { env } = options
  if (options.server !== undefined)
    return { address: normaliseAddress(options.server), from: 'flag', profile: null, project: null }
  if (options.profile !== undefined) return profileTarget(env, options.profile, 'flag')
  if (env['DOCSEARCH_SERVER'])
    return { address: normaliseAddress(env['DOCSEARCH_SERVER']), from: 'environment', profile: null, project: null }
  if (env['DOCSEARCH_PROFILE']) return profileTarget(env, env['DOCSEARCH_PROFILE'], 'environment')
  const { default: fallback } = await readProfiles(env)
  if (fallback !== undefined) return profileTarget(env, fallback, 'profile')
  const local = await lastLocalInstance(env)
  if (local !== null) return { address: local.address, from: 'local daemon', profile: null, project: null }
  return { address: DEFAULT_ADDRESS, from: 'default', profile: null, project: null }
}

async function profileTarget(env: Env, name: string, from: Target['from']): Promise<Target> {
  const { profiles } = await readProfiles(env)
  const profile = profiles[name] ?? unknownProfile(name, profiles)
  return { address: normaliseAddress(profile.server), from, profile: name, project: profile.project ?? null }
}

function unknownProfile(name: string, profiles: Profiles['profiles']): never {
  const known = Object.keys(profiles)
  const hint = known.length === 0 ? '' : ` Known profiles: ${known.join(', ')}.`
  throw new DocsearchError(
    'unknown_profile',
    `There is no profile "${name}".${hint} To create it, run \`docsearch --profile ${name} login URL\`.`,
  )
}

function parseProfile(name: string, value: unknown, problems: string[]): Profile | undefined {
  const { server, project, ...rest } = objectOf(value, `profile "${name}"`, problems)
  for (const key of Object.keys(rest)) problems.push(`unknown key "${key}" in profile "${name}"`)
  if (typeof server !== 'string' || !isAddress(server)) {
    problems.push(`profile "${name}" needs "server", the address of an instance`)
    return undefined
  }
  if (project === undefined) return { server }
  if (typeof project === 'string') return { server, project }
  problems.push(`"project" in profile "${name}" must be the name of a project`)
  return undefined
}

function isAddress(text: string): boolean {
  try {
    normaliseAddress(text)
    return true
  } catch {
    return false // The caller reports it with the other problems of the file.
  }
}

function objectOf(value: unknown, what: string, problems: string[]): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  problems.push(`${what} must be an object`)
  return {}
}

function profilesFile(env: Env): string {
  return join(configFolder(env), 'config.json')
}
