import { createReadStream, mkdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'

/** Unpacks the data folder of a fixture, such as `version-0.1.0`, into an empty or missing folder. */
export async function unpackDataFolder(fixture: string, dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const entries = extract()
  createReadStream(new URL(`../fixtures/${fixture}/data.tar.gz`, import.meta.url))
    .pipe(createGunzip())
    .pipe(entries)
  for await (const entry of entries) {
    const { name, type, mode } = entry.header
    // The archive has one folder, which becomes `dataDir`.
    const file = join(dataDir, ...name.split('/').slice(1))
    if (type === 'directory') await mkdir(file, { recursive: true, mode })
    else {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, await buffer(entry), { mode })
    }
    entry.resume()
  }
}
