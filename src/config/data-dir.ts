import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the platform's folder for the data of docsearch (XDG Base Directory on Linux). */
export function defaultDataDir(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'docsearch')
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'docsearch')
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'docsearch')
}

/** Returns the absolute data folder: the flag, else DOCSEARCH_DATA, else the platform's folder. */
export function resolveDataDir(flag: string | undefined, env: Environment): { dir: string; source: Source } {
  if (flag) return { dir: resolve(flag), source: 'flag' }
  if (env.DOCSEARCH_DATA) return { dir: resolve(env.DOCSEARCH_DATA), source: 'environment' }
  return { dir: defaultDataDir(env), source: 'default' }
}

export type Source = 'default' | 'file' | 'environment' | 'flag'
