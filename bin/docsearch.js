#!/usr/bin/env node
// Runs before the Node version is checked, so it uses only syntax and modules that Node 12 has. A CommonJS module (see package.json in this
// folder), because an ES module that imports a module of Node loads everything that this module offers.
'use strict'
const path = require('path')

const NEEDED = [24, 15]
const root = path.dirname(__dirname)

function isNewEnough(version) {
  const parts = version.split('.').map(Number)
  return parts[0] > NEEDED[0] || (parts[0] === NEEDED[0] && parts[1] >= NEEDED[1])
}

/** Finds the `node` package: in node_modules of a checkout, or next to this package in an installation. */
function findNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const folders = [path.join(root, 'node_modules'), path.dirname(root)]
  for (const folder of folders) {
    const file = path.join(folder, 'node', 'bin', name)
    if (path.basename(folder) === 'node_modules' && require('fs').existsSync(file)) return file
  }
  return null
}

function handOver(node) {
  // Without this mark, a `node` package that is too old would hand over to itself forever.
  const env = Object.assign({}, process.env, { DOCSEARCH_HANDED_OVER: '1' })
  const args = [__filename].concat(process.argv.slice(2))
  const child = require('child_process').spawn(node, args, { stdio: 'inherit', env: env })
  const interactive = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  const signals = process.platform === 'win32' ? [] : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
  signals.forEach(function (signal) {
    process.on(signal, function () {
      // A terminal sends Ctrl-C to the child too. The child would take a second signal as a second Ctrl-C.
      if (interactive && (signal === 'SIGINT' || signal === 'SIGQUIT')) return
      child.kill(signal)
    })
  })
  child.on('error', function (error) {
    console.error('docsearch: ' + node + ' could not be started: ' + error.message)
    process.exit(2)
  })
  child.on('exit', function (code, signal) {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // Some signals don't end the process by themselves.
    setTimeout(function () {
      process.exit(128 + (require('os').constants.signals[signal] || 0))
    }, 1000)
  })
}

/** The cache is in the user's own folder, because others could inject code into a cache that they can write to. */
function compileCache() {
  const home = require('os').homedir()
  const local = process.env.LOCALAPPDATA
  const xdg = process.env.XDG_CACHE_HOME
  if (xdg && path.isAbsolute(xdg)) return path.join(xdg, 'docsearch', 'code')
  if (process.platform === 'win32' && local) return path.join(local, 'docsearch', 'code')
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Caches', 'docsearch', 'code')
  return path.join(home, '.cache', 'docsearch', 'code')
}

/** Node gives the cache the mode that the umask allows, which may let others write to it. */
function enableCompileCache() {
  const folder = compileCache()
  try {
    require('fs').mkdirSync(folder, { recursive: true, mode: 0o700 })
    require('fs').chmodSync(folder, 0o700)
  } catch {
    return // Every command works without the cache.
  }
  require('module').enableCompileCache(folder)
}

function start() {
  enableCompileCache()
  const main = path.join(root, 'dist', 'cli', 'main.cjs')
  if (!require('fs').existsSync(main)) {
    console.error('docsearch: not built yet. Run `npm run build` in ' + root)
    process.exit(2)
  }
  require(main)
    .run()
    .catch(function (error) {
      console.error(error)
      process.exit(7)
    })
}

if (isNewEnough(process.versions.node)) {
  delete process.env.DOCSEARCH_HANDED_OVER
  start()
} else {
  const node = process.env.DOCSEARCH_HANDED_OVER ? null : findNode()
  if (node !== null) {
    handOver(node)
  } else {
    console.error(
      'docsearch needs Node.js ' +
        NEEDED.join('.') +
        ' or newer, and this is ' +
        process.versions.node +
        '.\n' +
        'Install it from https://nodejs.org, or with your version manager, such as `nvm install 24`, and run docsearch again.',
    )
    process.exit(2)
  }
}
