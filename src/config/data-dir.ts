import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { DocsearchError } from '../core/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the platform's folder for the data of docsearch (XDG Base Directory on Linux). */
export function defaultDataDir(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'docsearch')
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'docsearch')
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'docsearch')
}

/**
 * Returns the absolute data folder: the flag, else DOCSEARCH_DATA, else the platform's folder. Throws `invalid_configuration` for an empty
 * name: a script with an unset variable must not work on the default folder.
 */
export function resolveDataDir(flag: string | undefined, env: Environment): { dir: string; source: Source } {
  if (flag !== undefined) return { dir: resolve(named(flag, '--data')), source: 'flag' }
  const variable = dataVariable(env)
  if (variable !== undefined) return { dir: resolve(variable), source: 'environment' }
  return { dir: defaultDataDir(env), source: 'default' }
}

/** Returns the value of DOCSEARCH_DATA. Throws `invalid_configuration` if it is empty. */
export function dataVariable({ DOCSEARCH_DATA: value }: Environment): string | undefined {
  return value === undefined ? undefined : named(value, 'DOCSEARCH_DATA')
}

function named(folder: string, source: string): string {
  if (folder !== '') return folder
  throw new DocsearchError('invalid_configuration', `${source} is empty. Name the data folder, or leave ${source} out.`)
}

export type Source = 'default' | 'file' | 'environment' | 'flag'
