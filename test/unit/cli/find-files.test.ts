import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findFiles } from '../../../src/cli/files/find.ts'
import type { Selection } from '../../../src/cli/files/found.ts'
import { testFolder } from '../../support/cli.ts'

const ALL: Selection = { recursive: true, exclude: [], gitignore: true, followLinks: false }

/** Writes files, given as paths or with their contents, and returns the folder that contains `library`. */
function tree(...files: (string | [path: string, content: string])[]): string {
  const base = testFolder()
  for (const [path, content] of files.map((file) => (typeof file === 'string' ? ([file, 'text'] as const) : file))) {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), content)
  }
  return base
}

async function find(folder: string, selection: Partial<Selection> = {}) {
  const { files, refused, skipped } = await findFiles([folder], { ...ALL, ...selection })
  return { paths: files.map(({ path }) => path), refused, skipped }
}

test('follows .gitignore and .docsearchignore, the nearest rule first', async () => {
  const base = tree(
    ['library/.gitignore', '*.log\nbuild/\n/only-here.txt\n'],
    ['library/.docsearchignore', 'drafts/**/old.txt\n!keep.log\n'],
    ['library/inner/.docsearchignore', '!*.log\nsecret.txt\n'],
    ...['a.txt', 'a.log', 'keep.log', 'only-here.txt', 'build/x.txt', 'drafts/1/old.txt', 'drafts/new.txt'].map(
      (path) => `library/${path}`,
    ),
    ...['b.log', 'secret.txt', 'only-here.txt', 'build/y.txt'].map((path) => `library/inner/${path}`),
  )
  const { paths, skipped } = await find(join(base, 'library'))
  const own = ['a.txt', 'drafts/new.txt', 'inner/b.log', 'inner/only-here.txt', 'keep.log']
  expect(paths.toSorted()).toEqual(own.map((path) => `library/${path}`))
  expect(skipped.ignored).toBe(6)
  const withoutGit = await find(join(base, 'library'), { gitignore: false })
  expect(withoutGit.paths).toContain('library/build/x.txt')
  expect(withoutGit.paths).not.toContain('library/inner/secret.txt')
})

test('follows the .gitignore of the repository that contains the folder', async () => {
  const base = tree(['repo/.gitignore', '*.tmp\n/docs/private/\n'], ['repo/.git/HEAD', ''], 'repo/docs/a.txt')
  for (const name of ['b.tmp', 'private/c.txt']) {
    mkdirSync(dirname(join(base, 'repo/docs', name)), { recursive: true })
    writeFileSync(join(base, 'repo/docs', name), 'text')
  }
  writeFileSync(join(base, '.gitignore'), '*.txt\n')
  expect((await find(join(base, 'repo/docs'))).paths).toEqual(['docs/a.txt'])
})

test('skips hidden files, node_modules and caches, and a rule takes some of them back', async () => {
  const tag = 'Signature: 8a477f597d28d172789f06886806bc55\n# made by a test\n'
  const base = tree(
    ...['.hidden.txt', '.notes/a.txt', '.notes/.b.txt', 'node_modules/b.txt', 'cache/c.txt', 'plain/d.txt'].map(
      (path) => `library/${path}`,
    ),
    ['library/cache/CACHEDIR.TAG', tag],
    ['library/plain/CACHEDIR.TAG', 'no signature'],
  )
  const { paths, skipped } = await find(join(base, 'library'))
  expect(paths).toEqual(['library/plain/CACHEDIR.TAG', 'library/plain/d.txt'])
  expect([skipped.caches, skipped.ignored]).toEqual([['library/cache'], 0])
  writeFileSync(join(base, 'library/.docsearchignore'), '!.notes/\n!node_modules/\nCACHEDIR.TAG\n')
  expect((await find(join(base, 'library'))).paths).toEqual(
    ['.notes/a.txt', 'node_modules/b.txt', 'plain/d.txt'].map((path) => `library/${path}`),
  )
})

test('skips and names links that lead out of the folder, unless it follows links, and never walks in a circle', async () => {
  const base = tree('library/a.txt', 'library/inner/b.txt', 'outside/c.txt', 'outside/deep/d.txt')
  const link = (target: string, name: string) => symlinkSync(join(base, target), join(base, 'library', name))
  link('library/a.txt', 'same.txt')
  link('library/inner', 'inner-again')
  link('outside/c.txt', 'file.txt')
  link('outside', 'folder')
  symlinkSync(join(base, 'library'), join(base, 'outside/back'))
  symlinkSync(join(base, 'outside'), join(base, 'outside/deep/self'))
  const { paths, skipped } = await find(join(base, 'library'))
  expect(paths).toEqual(['library/a.txt', 'library/inner/b.txt', 'library/same.txt'])
  expect(skipped.links).toEqual(['library/file.txt', 'library/folder'])
  const followed = await find(join(base, 'library'), { followLinks: true })
  expect(followed.paths).toEqual(
    ['a.txt', 'file.txt', 'folder/c.txt', 'folder/deep/d.txt', 'inner/b.txt', 'same.txt'].map((path) => `library/${path}`),
  )
})

test.skipIf(process.platform !== 'linux')('finds files and folders whose names are not UTF-8', async () => {
  const base = tree('library/a.txt')
  // "Grüße" in Windows-1252, as an old archive leaves it.
  const folder = Buffer.from(join(base, 'library', 'Gr\xfc\xdfe'), 'latin1')
  mkdirSync(folder)
  writeFileSync(Buffer.concat([folder, Buffer.from('/b\x80.txt', 'latin1')]), 'one\n')
  const { files } = await findFiles([join(base, 'library')], ALL)
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ['library/Grüße/b€.txt', 4],
    ['library/a.txt', 4],
  ])
})
