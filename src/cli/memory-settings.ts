/**
 * Young objects that survive are copied between two halves of this size. With Node's default of 16 MB for each thread, garbage of
 * finished searches occupies memory for long.
 */
const SEMI_SPACE_MB = 8
/** Memory pools of glibc, which has eight for each core by default. Each pool keeps freed memory for itself. */
const ARENAS = 2

/** What Node can be told only when it starts. */
export interface StartSettings {
  flags: readonly string[]
  env: Readonly<Record<string, string>>
}

/**
 * Returns the settings with which the daemon uses less memory, without those that the operator has set. Returns null when there is
 * nothing to add. There is no `--max-old-space-size`: it would also replace the limits of worker threads, and end a daemon that
 * needs more for a moment.
 */
export function memorySettings(started: {
  execArgv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
}): StartSettings | null {
  const { execArgv, env } = started
  const given = [...execArgv, env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-')
  const flags = given.includes('--max-semi-space-size') ? [] : [`--max-semi-space-size=${SEMI_SPACE_MB}`]
  const added: Record<string, string> = env['MALLOC_ARENA_MAX'] === undefined ? { MALLOC_ARENA_MAX: String(ARENAS) } : {}
  return flags.length === 0 && Object.keys(added).length === 0 ? null : { flags, env: added }
}
