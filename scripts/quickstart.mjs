// `npm start [-- FOLDER]`: starts an instance, uploads a folder of documents and answers a first question.
// The daemon keeps running in the background, so that the terminal is free. `npm stop` ends it.
import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bin, dataFolder, ensureBuilt, ensureNode, fail, launch, root, running, stop, userFolder } from './daemon.mjs'

const HELP = `npm start [-- [FOLDER] [--ask QUESTION] [--port N] [--data DIR] [--embedder NAME] [--ollama URL] [--once]]

  FOLDER           Folder to upload, with its subfolders (default: samples/)
  --ask QUESTION   First question
  --port N         Port to listen on; 0 takes a free one (default 4747, or a free one if that is in use)
  --data DIR       Data folder (default: your user data folder)
  --embedder NAME  auto, builtin or ollama:MODEL (default auto)
  --ollama URL     URL of Ollama
  --once           Stop the instance at the end`

ensureNode()
const { values: flags, positionals } = parse()
if (flags.help) {
  console.log(HELP)
  process.exit(0)
}
const samples = join(root, 'samples')
const folder = positionals[0] === undefined ? samples : resolve(userFolder, positionals[0])
if (positionals.length > 1) fail(2, 'Too many folders. Name only one.', HELP)
if (!existsSync(folder) || !statSync(folder).isDirectory()) fail(2, `${folder} is not a folder.`, HELP)
const question = flags.ask ?? (folder === samples ? 'How much notice do I have to give before moving out?' : undefined)

ensureBuilt()
const dataDir = await dataFolder(flags.data)
const before = await running(dataDir)
const options = ['port', 'embedder', 'ollama'].flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, flags[name]]))
const instance = before ?? (await launch(options, dataDir))
if (before) {
  console.log(`Using the instance that is already running at ${before.url} with its data in ${dataDir}`)
} else {
  console.log(`Started an instance at ${instance.url}.\nIts log: ${instance.logFile}`)
  const { foldMessage } = await import('../src/cli/view/fold.ts')
  const width = process.stdout.isTTY ? process.stdout.columns - 2 : Infinity
  for (const line of instance.messages) console.log(`  ${foldMessage(line, width).replaceAll('\n', '\n  ')}`)
}

console.log(`\nUploading ${folder === samples ? 'the sample documents' : folder}\n`)
const uploaded = await docsearch('upload', folder, '--recursive', '--project', 'default', '--wait')
if (uploaded !== 0 && uploaded !== 3) await finish(uploaded)
let found = 0
if (question !== undefined) {
  console.log(`\nSearching: ${question}\n`)
  found = await docsearch('search', question, '--project', 'default', '--limit', '2', '--full')
}
if (!flags.once) printNextSteps()
await finish(found === 0 ? uploaded : found)

function printNextSteps() {
  // Not `npx docsearch`: npx takes half a second to find this file.
  const command = process.platform === 'win32' ? 'node bin\\docsearch.js' : 'bin/docsearch.js'
  const at = instance.url === 'http://127.0.0.1:4747' ? '' : ` --server ${instance.url}`
  console.log(`
The instance keeps running. Try in this folder:
  ${command}${at} search "who pays for small repairs"
  ${command}${at} upload ~/Documents --recursive --wait
  ${command} --help
  npm stop${flags.data === undefined ? '' : ` -- --data ${flags.data}`}`)
}

/** Runs a command in this terminal and returns its exit code. */
function docsearch(...args) {
  const child = spawn(process.execPath, [bin, '--server', instance.url, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((settle) => {
    // The terminal sends Ctrl-C to the child too, and this process ends with the child's exit code.
    process.on('SIGINT', () => {})
    child.once('exit', (code) => settle(code ?? 130))
  })
}

async function finish(code) {
  if (flags.once && !before && !(await stop(instance))) fail(7, `The instance did not stop cleanly. See ${instance.logFile}`)
  process.exit(code)
}

function parse() {
  const text = { type: 'string' }
  const known = {
    port: text,
    data: text,
    embedder: text,
    ollama: text,
    ask: text,
    once: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  }
  try {
    return parseArgs({ options: known, allowPositionals: true })
  } catch (error) {
    return fail(2, error.message, HELP)
  }
}
