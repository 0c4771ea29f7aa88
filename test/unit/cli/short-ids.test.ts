import { expect, test } from 'vitest'
import { shortIds } from '../../../src/cli/view/table.ts'

const id = (end: string) => `doc_${end.padStart(26, '0')}`

test('an id is shown by its last six characters', () => {
  expect(shortIds([id('aaaaaa'), id('bbbbbb')])).toEqual(['aaaaaa', 'bbbbbb'])
})

test('shows enough of ids with the same end to tell them apart', () => {
  expect(shortIds([id('xaaaaaaa'), id('yaaaaaaa'), id('bbbbbb')])).toEqual(['xaaaaaaa', 'yaaaaaaa', 'bbbbbb'])
})

test('the same id twice is as short as once', () => {
  expect(shortIds([id('aaaaaa'), id('aaaaaa')])).toEqual(['aaaaaa', 'aaaaaa'])
})

test('other texts stay as they are', () => {
  expect(shortIds(['docsearch-cli', 'everyone', '-', ''])).toEqual(['docsearch-cli', 'everyone', '-', ''])
})
