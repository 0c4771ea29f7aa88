import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Unpacks the data folder that a released version of docsearch has written, into an empty or missing folder. */
export function unpackDataFolder(version: string, dataDir: string): void {
  const archive = fileURLToPath(new URL(`../fixtures/version-${version}/data.tar.gz`, import.meta.url))
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  execFileSync('tar', ['-xzf', archive, '-C', dataDir, '--strip-components=1', '--no-same-owner'])
}
