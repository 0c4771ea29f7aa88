import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FileNames } from '../../../src/cli/commands/export/export.ts'

const filesFor = (paths: readonly string[]): string[] => {
  const names = new FileNames()
  return paths.map((path) => names.fileFor(path))
}

test.each([
  ['reports/2026/a.pdf', 'reports/2026/a.pdf'],
  ['../../etc/passwd', '__/__/etc/passwd'],
  ['/etc/passwd', 'etc/passwd'],
  ['C:\\temp\\a.txt', 'C__temp_a.txt'],
  ['what? <1>|"2*".txt', 'what_ _1___2__.txt'],
  ['aux.txt', '_aux.txt'],
  ['COM1', '_COM1'],
  ['.git/config', '_git/config'],
  ['ends with a dot.', 'ends with a dot_'],
  ['a//b/', 'a/b'],
  ['a\u0000b\u001b[31m.txt', 'a_b_[31m.txt'],
  ['\ud800.txt', '\ufffd.txt'],
])('writes %j to a file that every file system takes', (path, file) => {
  expect(filesFor([path])).toEqual([file])
})

test('gives different files to paths that some file systems treat as one', () => {
  const files = filesFor(['Read.txt', 'read.txt', 'café.txt', 'cafe\u0301.txt', 'straße', 'STRASSE', 'a', 'a/b', 'x?', 'x*'])
  expect(files.slice(0, 1)).toEqual(['Read.txt'])
  expect(files[1]).toMatch(/^read \([0-9a-f]{8}\)\.txt$/)
  expect(files[7]).not.toBe('a/b')
  expect(new Set(files.map((file) => file.normalize('NFC').toUpperCase())).size).toBe(files.length)
})

test('shortens long names before their extension', () => {
  const [file] = filesFor([`${'ü'.repeat(300)}.pdf`])
  expect(Buffer.byteLength(file!)).toBeLessThanOrEqual(200)
  expect(file!.endsWith('ü.pdf')).toBe(true)
})

test('gives any paths different files inside the folder', () => {
  const part = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('..', '.', 'a', 'A', 'con', 'x.txt'))
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 30 }), (paths) => {
      const files = filesFor(paths)
      const keys = files.map((file) => file.normalize('NFKC').toUpperCase().toLowerCase())
      expect(new Set(keys).size).toBe(paths.length)
      for (const [i, file] of files.entries()) {
        for (const name of file.split('/')) {
          expect(['', '.', '..']).not.toContain(name)
          expect(name).not.toMatch(/[. ]$|[<>:"|?*\\]/)
        }
        for (const key of keys) expect(key.startsWith(`${keys[i]}/`)).toBe(false)
      }
      // Another export of the same paths changes no names.
      expect(filesFor(paths)).toEqual(files)
    }),
  )
})
