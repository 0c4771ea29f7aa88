import { posix, win32 } from 'node:path'
import { expect, test } from 'vitest'
import { documentPath, nameOf } from '../../../src/cli/files/paths.ts'

test.each([
  ['alice', '/home/eve/alice', 'alice'],
  ['/home/eve/alice/', '/home/eve/alice', 'alice'],
  ['.', '/home/eve/alice', 'alice'],
  ['./', '/home/eve/alice', 'alice'],
  ['..', '/home/eve', 'eve'],
  ['link', '/home/eve/alice', 'link'],
  ['link/.', '/home/eve/alice', 'alice'],
  ['ALICE', '/home/eve/alice', 'alice'],
  ['a\\b', '/home/eve/a\\b', 'a\\b'],
  ['/', '/', ''],
])('on POSIX, %s, which resolves to %s, has the name %s', (given, resolved, name) => {
  expect(nameOf(given, resolved, posix)).toBe(name)
})

test.each([
  ['alice\\', 'C:\\Users\\Eve\\alice', 'alice'],
  ['C:/Users/Eve/alice', 'C:\\Users\\Eve\\alice', 'alice'],
  ['ALICE', 'C:\\Users\\Eve\\Alice', 'Alice'],
  ['.\\', 'C:\\Users\\Eve\\alice', 'alice'],
  ['..', 'C:\\Users', 'Users'],
  ['C:', 'C:\\Users\\Eve', 'Eve'],
  ['C:\\', 'C:\\', 'C'],
])('on Windows, %s, which resolves to %s, has the name %s', (given, resolved, name) => {
  expect(nameOf(given, resolved, win32)).toBe(name)
})

test('paths have slashes on every system, and a backslash in a POSIX name stays', () => {
  expect(documentPath('alice', 'deep\\contract.txt', '\\')).toBe('alice/deep/contract.txt')
  expect(documentPath('alice', 'deep/a\\b.txt', '/')).toBe('alice/deep/a\\b.txt')
  expect(documentPath('', 'etc/hosts', '/')).toBe('etc/hosts')
})
