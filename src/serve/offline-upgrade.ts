import { DocsearchError } from '../core/errors.ts'
import type { UpgradeOptions } from '../records/sql/upgrade.ts'
import { lockDataFolder } from './data-folder.ts'
import type { ServeOutput } from './main.ts'
import { VERSION } from './version.ts'

/** How a command upgrades the data folder of an earlier version that it opens, whether or not a daemon runs on it. */
export function offlineUpgrade(dir: string, { say }: Pick<ServeOutput, 'say'>): UpgradeOptions {
  return { version: VERSION, notify: say, beforeUpgrade: () => refuseNextToDaemon(dir) }
}

/** The daemon of an earlier version would no longer understand its own database. */
function refuseNextToDaemon(dir: string): void {
  const lock = lockDataFolder(dir)
  if (lock !== 'in_use') return lock?.close()
  throw new DocsearchError(
    'data_in_use',
    `A daemon of an earlier version uses the data folder ${dir}, and this is docsearch ${VERSION}. ` +
      'Restart the daemon with this version first, or use the version of the daemon.',
  )
}
