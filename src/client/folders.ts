import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * Returns the folder of this user's settings: in XDG_CONFIG_HOME, or else in %APPDATA% on Windows, ~/Library/Application Support on macOS
 * and ~/.config elsewhere. Ignores a relative XDG path, as its specification asks.
 */
export function configFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  const path = platform === 'win32' ? win32 : posix
  const xdg = env['XDG_CONFIG_HOME']
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'docsearch')
  const home = (platform === 'win32' ? env['USERPROFILE'] : env['HOME']) || homedir()
  if (platform === 'win32') return path.join(env['APPDATA'] || path.join(home, 'AppData', 'Roaming'), 'docsearch')
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'docsearch')
  return path.join(home, '.config', 'docsearch')
}

/**
 * Returns the folder of files that docsearch can make again: in XDG_CACHE_HOME, or else in %LOCALAPPDATA% on Windows, ~/Library/Caches on
 * macOS and ~/.cache elsewhere.
 */
export function cacheFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  const path = platform === 'win32' ? win32 : posix
  const xdg = env['XDG_CACHE_HOME']
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'docsearch')
  const home = (platform === 'win32' ? env['USERPROFILE'] : env['HOME']) || homedir()
  if (platform === 'win32') return path.join(env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local'), 'docsearch')
  if (platform === 'darwin') return path.join(home, 'Library', 'Caches', 'docsearch')
  return path.join(home, '.cache', 'docsearch')
}
