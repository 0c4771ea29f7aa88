import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const SCRIPT = new URL('../../scripts/release.mjs', import.meta.url)

/** A small repository whose steps succeed and write down that they ran. */
let repository: string
const file = (name: string) => join(repository, name)
const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim()
const log = () => (existsSync(file('.cache/log')) ? readFileSync(file('.cache/log'), 'utf8').trim().split('\n') : [])

function write(name: string, text: string): void {
  mkdirSync(dirname(file(name)), { recursive: true })
  writeFileSync(file(name), text)
}

function release(...args: string[]) {
  return spawnSync(process.execPath, ['scripts/release.mjs', ...args], { cwd: repository, encoding: 'utf8' })
}

function commitAll(): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'change')
}

beforeEach(async () => {
  repository = await tempFolder()
  const step = (name: string) => `mkdir -p .cache && echo ${name} >> .cache/log`
  const scripts = {
    build: step('build'),
    generate: step('generate'),
    'check-package': step('check-package'),
    'data-folder': `${step('data-folder')} && mkdir -p test/fixtures/version-0.2.0 && echo "$@" > test/fixtures/version-0.2.0/made`,
  }
  write('package.json', `${JSON.stringify({ name: 'x', version: '0.1.0', scripts }, null, 2)}\n`)
  const dependency = { version: '0.1.0' }
  const packages = { '': { name: 'x', version: '0.1.0' }, 'node_modules/a': dependency }
  write('package-lock.json', `${JSON.stringify({ name: 'x', version: '0.1.0', packages }, null, 2)}\n`)
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0\n\n- The first.\n')
  write('.gitignore', '.cache/\n')
  write('.ci/run', '#!/bin/sh\nmkdir -p .cache && echo ci >> .cache/log\n')
  chmodSync(file('.ci/run'), 0o755)
  write('scripts/licences.mjs', '')
  copyFileSync(SCRIPT, file('scripts/release.mjs'))
  git('init', '--quiet', '--initial-branch', 'main')
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@example.org')
  git('config', 'commit.gpgsign', 'false')
  commitAll()
})

test('dates the changelog, sets the version, commits with a data folder, tags, and pushes nothing', () => {
  const { status, stdout, stderr } = release('0.2.0')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(log()).toEqual(['ci', 'build', 'generate', 'data-folder', 'check-package'])
  expect(readFileSync(file('CHANGELOG.md'), 'utf8')).toMatch(
    /^## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n### Added\n\n- A thing/m,
  )
  expect(JSON.parse(readFileSync(file('package.json'), 'utf8'))).toMatchObject({ version: '0.2.0' })
  expect(JSON.parse(readFileSync(file('package-lock.json'), 'utf8'))).toMatchObject({
    version: '0.2.0',
    packages: { '': { version: '0.2.0' }, 'node_modules/a': { version: '0.1.0' } },
  })
  expect(git('status', '--porcelain')).toBe('')
  expect(git('log', '-1', '--format=%s')).toBe('release: 0.2.0')
  expect(git('ls-tree', '-r', '--name-only', 'HEAD')).toContain('test/fixtures/version-0.2.0/made')
  expect(git('cat-file', '-t', 'v0.2.0')).toBe('tag')
  expect(git('tag', '--list', '--format=%(contents)', 'v0.2.0')).toContain('### Added\n\n- A thing.')
  expect(stdout).toContain('git push origin main v0.2.0')
  expect(release('0.2.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('there is a tag v0.2.0 already') })
})

test('does not run the checks again on a commit that has passed them', () => {
  write('.cache/ci-passed', `${git('rev-parse', 'HEAD')}\n`)
  expect(release('0.2.0').status).toBe(0)
  expect(log()).not.toContain('ci')
})

test.each<[string, () => void, string[], RegExp]>([
  ['without a version', () => {}, [], /usage/],
  ['a version that is not higher', () => {}, ['0.1.0'], /0\.1\.0 is not higher than 0\.1\.0/],
  ['uncommitted changes', () => write('new.txt', ''), ['0.2.0'], /the working tree has changes/],
  ['another branch', () => git('checkout', '--quiet', '-b', 'other'), ['0.2.0'], /the branch is other/],
  [
    'nothing in the changelog',
    () => {
      write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 0.1.0\n')
      commitAll()
    },
    ['0.2.0'],
    /nothing under/,
  ],
  [
    'failing checks',
    () => {
      write('.ci/run', '#!/bin/sh\nexit 1\n')
      commitAll()
    },
    ['0.2.0'],
    /\.ci\/run.*ended with 1/,
  ],
])('refuses %s, and changes nothing', (_, prepare, args, message) => {
  prepare()
  const [head, status] = [git('rev-parse', 'HEAD'), git('status', '--porcelain')]
  expect(release(...args)).toMatchObject({ status: 1, stderr: expect.stringMatching(message) })
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([head, status])
  expect(git('tag')).toBe('')
})

test('undoes everything when a step fails', () => {
  const broken = readFileSync(file('package.json'), 'utf8').replace('echo check-package >> .cache/log', 'exit 1')
  write('package.json', broken)
  commitAll()
  const head = git('rev-parse', 'HEAD')
  expect(release('0.2.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was released') })
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([head, '', ''])
  expect(readFileSync(file('package.json'), 'utf8')).toBe(broken)
})
