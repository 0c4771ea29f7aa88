// Preloaded into docsearch: every file system seems to be NFS.
import { createRequire, syncBuiltinESMExports } from 'node:module'

const promises = createRequire(import.meta.url)('node:fs/promises')
const { statfs } = promises
promises.statfs = async (...args) => Object.assign(await statfs(...args), { type: 0x6969 })
syncBuiltinESMExports()
