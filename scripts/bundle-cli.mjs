// Bundles the command line from dist/cli into CommonJS files, and removes the modules that it replaces.
// A command must start fast. As ES modules, a search would load 42 files, and Node would read every property of its built-in modules that they
// import. This loads the prompts of terminals, source maps, threads and much more.
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { rolldown } from 'rolldown'

/** Packages that a search needs, on a terminal or on a pipe. Node loads others when a command uses them. */
const BUNDLED = ['commander', 'fast-string-width', 'fast-string-truncated-width']

const CHILD_PROCESS = 'node:child_process'

export async function bundleCli(root) {
  const dist = join(root, 'dist')
  const cli = join(dist, 'cli')
  const target = join(dist, 'cli-bundle')
  const isOutside = (id) => id.includes('/serve/') || (/^[@a-z]/.test(id) && ![...BUNDLED, CHILD_PROCESS].includes(id))
  const bundle = await rolldown({
    input: join(cli, 'main.js'),
    platform: 'node',
    external: isOutside,
    plugins: [addressesOfModules(dist), lazyChildProcess()],
  })
  await bundle.write({
    dir: target,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    // The daemon's modules stay ES modules, next to the folder of the bundle.
    paths: (id) => (id.startsWith(dist) ? `..${id.slice(dist.length).split(sep).join('/')}` : id),
  })
  await bundle.close()
  mkdirSync(join(target, 'licences'))
  for (const name of BUNDLED) {
    const folder = join(root, 'node_modules', name)
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
    cpSync(join(folder, licence), join(target, 'licences', `${name}.txt`))
  }
  rmSync(cli, { recursive: true })
  renameSync(target, cli)
}

/** Modules find files of the package by their own address, which the bundle would change. */
function addressesOfModules(dist) {
  return {
    name: 'addresses-of-modules',
    transform(code, id) {
      if (!id.startsWith(dist) || !code.includes('import.meta.url')) return null
      const path = JSON.stringify(relative(dist, id).split(sep).join('/'))
      const address = `require('node:url').pathToFileURL(require('node:path').join(__dirname, '..', ${path})).href`
      return { code: code.replaceAll('import.meta.url', address), map: null }
    },
  }
}

/**
 * Loads child_process when it is used. It would take a tenth of the time of an empty Node. Commander imports it for a feature that docsearch does
 * not use, and the keychain needs it only to write.
 */
function lazyChildProcess() {
  // The zero byte marks an ID that is not a file.
  const module = '\0lazy-child-process'
  return {
    name: 'lazy-child-process',
    resolveId: (source) => (source === CHILD_PROCESS ? module : null),
    load: (id) =>
      id === module
        ? `export const spawn = (...args) => process.getBuiltinModule('${CHILD_PROCESS}').spawn(...args)
           export const execFile = (...args) => process.getBuiltinModule('${CHILD_PROCESS}').execFile(...args)
           // Node's own execFile has this too: a promise for standard output and standard error.
           execFile[Symbol.for('nodejs.util.promisify.custom')] = (...args) =>
             process.getBuiltinModule('node:util').promisify(process.getBuiltinModule('${CHILD_PROCESS}').execFile)(...args)
           export default { spawn, execFile }`
        : null,
  }
}
