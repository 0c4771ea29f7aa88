// Preloaded into the daemon: while the file named by DOCSEARCH_TEST_FSYNC_FAILS exists, no file can be synced, as on a dying disk.
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const handle = await open(fileURLToPath(import.meta.url))
const prototype = Object.getPrototypeOf(handle)
await handle.close()
const { sync } = prototype
prototype.sync = async function () {
  if (existsSync(process.env.DOCSEARCH_TEST_FSYNC_FAILS))
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', errno: -5, syscall: 'fsync' })
  await sync.call(this)
}
