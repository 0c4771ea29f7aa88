// `npm run release -- X.Y.Z`: checks everything, dates the changelog section, sets the version, adds a data folder of this version to the tests,
// commits and tags. Pushes and publishes nothing: it prints the commands for that.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const BRANCH = 'main'
/** `.ci/run` writes the commit here that it has passed on. */
const PASSED = join(root, '.cache', 'ci-passed')

const at = (name) => join(root, name)
const read = (name) => readFileSync(at(name), 'utf8')

class Refusal extends Error {}

try {
  release(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(`release: ${error.message}`)
  process.exitCode = 1
}

function release(args) {
  const [version, ...rest] = args
  if (rest.length > 0 || !/^\d+\.\d+\.\d+$/.test(version ?? '')) throw new Refusal('usage: npm run release -- X.Y.Z')
  checkRepository(version)
  const notes = unreleasedNotes()
  checkContinuousIntegration()

  try {
    writeVersion(version)
    step('node', ['scripts/licences.mjs', '--check'])
    step('npm', ['run', '--silent', 'build'])
    step('npm', ['run', '--silent', 'generate'])
    step('npm', ['run', '--silent', 'data-folder', '--', version])
    step('npm', ['run', '--silent', 'check-package'])
    git('add', '--all')
    git('commit', '--quiet', '--message', `release: ${version}`)
    git('tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--message', `docsearch ${version}\n\n${notes}`)
  } catch (error) {
    // The tree was clean, so everything that is different now is from this script.
    git('reset', '--quiet', '--hard')
    git('clean', '--quiet', '--force', '-d')
    throw error
  }
  console.log(`Released ${version} in this repository. Look at it with \`git show v${version}\`, then run:

  git push origin ${BRANCH} v${version}
  npm publish          # or let trusted publishing do it for the tag
  docker build -f deploy/Dockerfile -t docsearch:${version} .

To take it back before that: git tag -d v${version} && git reset --hard HEAD~1`)
}

function checkRepository(version) {
  const branch = git('branch', '--show-current')
  if (branch !== BRANCH) throw new Refusal(`the branch is ${branch || 'none'}, not ${BRANCH}`)
  const changes = git('status', '--porcelain')
  if (changes !== '') throw new Refusal(`the working tree has changes:\n${changes}`)
  if (git('tag', '--list', `v${version}`) !== '') throw new Refusal(`there is a tag v${version} already`)
  const known = [
    JSON.parse(read('package.json')).version,
    ...read('CHANGELOG.md')
      .matchAll(/^## (\d+\.\d+\.\d+)/gm)
      .map(([, v]) => v),
  ]
  const higher = known.find((other) => compare(version, other) <= 0)
  if (higher !== undefined) throw new Refusal(`${version} is not higher than ${higher}`)
  if (existsSync(at(`test/fixtures/version-${version}`)))
    throw new Refusal(`there is a data folder of version ${version} already`)
}

function compare(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  return left.map((part, i) => part - right[i]).find((difference) => difference !== 0) ?? 0
}

/** Returns the text of the section Unreleased. */
function unreleasedNotes() {
  const [, notes = ''] = /^## Unreleased\n([^]*?)(?=^## |(?![^]))/m.exec(read('CHANGELOG.md')) ?? []
  if (notes.trim() === '') throw new Refusal('CHANGELOG.md has nothing under "## Unreleased"')
  return notes.trim()
}

function checkContinuousIntegration() {
  const commit = git('rev-parse', 'HEAD')
  if (existsSync(PASSED) && readFileSync(PASSED, 'utf8').trim() === commit) {
    console.log(`.ci/run has passed on ${commit.slice(0, 12)}.`)
    return
  }
  console.log('.ci/run has not passed on this commit yet: running it.')
  step('.ci/run', [])
  const changes = git('status', '--porcelain')
  if (changes !== '') throw new Refusal(`.ci/run has changed the working tree:\n${changes}`)
}

function writeVersion(version) {
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(
    at('CHANGELOG.md'),
    read('CHANGELOG.md').replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${today}\n`),
  )
  const before = `"version": "${JSON.parse(read('package.json')).version}"`
  const after = `"version": "${version}"`
  writeFileSync(at('package.json'), read('package.json').replace(before, after))
  // The lock file has the project's version twice, before any package. npm would also drop the packages of other systems from it.
  const lock = read('package-lock.json')
  const end = lock.indexOf('"node_modules/')
  writeFileSync(at('package-lock.json'), lock.slice(0, end).replaceAll(before, after) + lock.slice(end))
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Refusal(`git ${args[0]} ended with ${status}: ${stderr.trim()}`)
  return stdout.trim()
}

function step(command, args) {
  console.log(`$ ${[command, ...args].join(' ')}`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0)
    throw new Refusal(
      `${command} ${args.join(' ')} ${error ? `could not start: ${error.message}` : `ended with ${status}`}. Nothing was released.`,
    )
}
